import AuthBackend

/// Codes of an authenticator app. The server has no SHA-1 of its own without an extension, so it is
/// written out.
extension ServerSchema {
  /// SHA-1, its keyed hash and the code of a time step.
  ///
  /// Source: FIPS 180-4, section 6.1; RFC 2104; RFC 4226, section 5.3.
  var hashing: [ServerFunction] {
    [
      .inner(
        "sha1", "p_bytes bytea", returns: "bytea",
        """
        DECLARE
          v_padded bytea := p_bytes || decode('80' || repeat('00', (119 - octet_length(p_bytes) % 64) % 64), 'hex')
            || int8send(octet_length(p_bytes)::bigint * 8);
          v_words bigint[] := array_fill(0::bigint, ARRAY[80], ARRAY[0]);
          v_h0 bigint := \(0x6745_2301);
          v_h1 bigint := \(0xEFCD_AB89);
          v_h2 bigint := \(0x98BA_DCFE);
          v_h3 bigint := \(0x1032_5476);
          v_h4 bigint := \(0xC3D2_E1F0);
          v_a bigint;
          v_b bigint;
          v_c bigint;
          v_d bigint;
          v_e bigint;
          v_x bigint;
        BEGIN
          FOR v_start IN 0..octet_length(v_padded) - 1 BY 64 LOOP
            FOR i IN 0..15 LOOP
              v_words[i] := get_byte(v_padded, v_start + 4 * i) * 16777216::bigint
                + get_byte(v_padded, v_start + 4 * i + 1) * 65536 + get_byte(v_padded, v_start + 4 * i + 2) * 256
                + get_byte(v_padded, v_start + 4 * i + 3);
            END LOOP;
            FOR i IN 16..79 LOOP
              v_x := v_words[i - 3] # v_words[i - 8] # v_words[i - 14] # v_words[i - 16];
              v_words[i] := ((v_x << 1) | (v_x >> 31)) & \(UInt32.max);
            END LOOP;
            v_a := v_h0; v_b := v_h1; v_c := v_h2; v_d := v_h3; v_e := v_h4;
            FOR i IN 0..79 LOOP
              IF i < 20 THEN v_x := ((v_b & v_c) | ((~v_b) & v_d)) + \(0x5A82_7999);
              ELSIF i < 40 THEN v_x := (v_b # v_c # v_d) + \(0x6ED9_EBA1);
              ELSIF i < 60 THEN v_x := ((v_b & v_c) | (v_b & v_d) | (v_c & v_d)) + \(0x8F1B_BCDC);
              ELSE v_x := (v_b # v_c # v_d) + \(0xCA62_C1D6);
              END IF;
              v_x := ((((v_a << 5) | (v_a >> 27)) & \(UInt32.max)) + v_x + v_e + v_words[i]) & \(UInt32.max);
              v_e := v_d; v_d := v_c; v_c := ((v_b << 30) | (v_b >> 2)) & \(UInt32.max); v_b := v_a; v_a := v_x;
            END LOOP;
            v_h0 := (v_h0 + v_a) & \(UInt32.max);
            v_h1 := (v_h1 + v_b) & \(UInt32.max);
            v_h2 := (v_h2 + v_c) & \(UInt32.max);
            v_h3 := (v_h3 + v_d) & \(UInt32.max);
            v_h4 := (v_h4 + v_e) & \(UInt32.max);
          END LOOP;
          RETURN substr(int8send(v_h0), 5) || substr(int8send(v_h1), 5) || substr(int8send(v_h2), 5)
            || substr(int8send(v_h3), 5) || substr(int8send(v_h4), 5);
        END
        """),
      .inner(
        "hmac_sha1", "p_message bytea, p_key bytea", returns: "bytea",
        """
        DECLARE
          v_inner bytea := CASE WHEN octet_length(p_key) > 64 THEN sha1(p_key) ELSE p_key END;
          v_outer bytea;
        BEGIN
          v_inner := v_inner || decode(repeat('00', 64 - octet_length(v_inner)), 'hex');
          v_outer := v_inner;
          FOR i IN 0..63 LOOP
            v_outer := set_byte(v_outer, i, get_byte(v_inner, i) # \(0x5C));
            v_inner := set_byte(v_inner, i, get_byte(v_inner, i) # \(0x36));
          END LOOP;
          RETURN sha1(v_outer || sha1(v_inner || p_message));
        END
        """),
      .inner(
        "totp", "p_secret bytea, p_step bigint", returns: "text",
        """
        DECLARE
          v_hash bytea := hmac_sha1(int8send(p_step), p_secret);
          v_start integer := get_byte(v_hash, 19) & 15;
          v_number bigint := (get_byte(v_hash, v_start) & 127) * 16777216::bigint
            + get_byte(v_hash, v_start + 1) * 65536 + get_byte(v_hash, v_start + 2) * 256
            + get_byte(v_hash, v_start + 3);
        BEGIN
          RETURN lpad((v_number % 1000000)::text, \(TOTP.digits), '0');
        END
        """),
    ]
  }
}
