import AuthAccounts

/// Common passwords of 15 characters or more: keyboard walks, runs of digits, doubled words,
/// sayings.
///
/// The lists are in lower case and sorted. They are short because a password of fewer than 15
/// characters is refused anyway, and nearly all entries of the published lists are shorter.
/// Source: NIST SP 800-63B-4, section 3.1.1.2, on blocklists and their size.
package enum BlockedPasswords {
  /// Every password that is refused.
  package static let all = Set(list + words.flatMap(forms))

  /// The passwords that are refused as they are written here.
  package static let list = entries(
    """
    !qaz2wsx#edc4rfv 000000000000000 0000000000000000 00000000000000000000 000111222333444 007007007007007
    010203040506070 0102030405060708 012345678901234 0123456789012345 01234567890123456789 0987654321poiuytrewq
    100200300400500 101010101010101 1010101010101010 1029384756102938 111111111111111 1111111111111111
    11111111111111111111 111222333444555 111222333444555666 112233445566778 1122334455667788 11223344556677889900
    121212121212121 1212121212121212 123123123123123 123123123123123123 123321123321123321 1234123412341234
    123451234512345 1234512345123451 123456123456123456 123456789012345 1234567890123456 12345678901234567890
    1234567890987654321 123456789123456 123456789123456789 123456789987654321 123abc123abc123abc 123qwe123qwe123qwe
    123qweasdzxc123 123qweasdzxc1234 131313131313131 135792468013579 1357924680135792 141414141414141 147258369147258
    147258369147258369 147852369147852 151515151515151 159357159357159357 159753159753159753 1a2b3c4d5e6f7g8h
    1q2w3e4r1q2w3e4r 1q2w3e4r5t6y7u8i 1q2w3e4r5t6y7u8i9o0p 1qaz1qaz1qaz1qaz 1qaz2wsx3edc4rfv 1qaz2wsx3edc4rfv5tgb
    1qazxsw23edcvfr4 222222222222222 246810121416182 271828182845904 314159265358979 3141592653589793
    31415926535897932384 333333333333333 420420420420420 444444444444444 543210987654321 555555555555555 666666666666666
    696969696969696 777777777777777 7777777777777777 888888888888888 9876543210123456 987654321098765 999888777666555
    999999999999999 a1b2c3d4e5f6g7h8 aabbccddeeffgghh abc123abc123abc123 abcabcabcabcabc abcd1234abcd1234
    abcdabcdabcdabcd abcdefg12345678 abcdefghijk12345 abcdefghijklmno abcdefghijklmnop abcdefghijklmnopqrstuvwxyz
    administrator123 administrator1234 administratoradministrator asdfasdfasdfasdf asdfghjkl123456 asdfghjkl1234567
    asdfghjklqwertyuiop asdfjkl;asdfjkl; assassinscreed1 assassinscreed123 azertyuiopqsdfgh azertyuiopqsdfghjklm
    babygirl12345678 babygirlbabygirl backstreetboys1 backstreetboys123 bitchbitchbitch callofduty12345 callofdutymodern
    changemechangeme changemeplease12 correcthorsebatterystaple counterstrike123 counterstrike16 dallascowboys123
    december12345678 defaultpassword1 dontforgetmypassword fcbarcelona12345 forever21forever21 forgetmenot12345
    fortnitefortnite fuckoffanddie123 fuckyoufuckyou1 fuckyoufuckyou123 godisgoodallthetime gogogogogogogogo
    grandtheftauto5 greenbaypackers guestguestguest1 happybirthday123 happybirthdaytoyou happynewyear2024
    happynewyear2025 happynewyear2026 harrypotter12345 harrypotter123456 hellokittyhellokitty hogwartshogwarts
    idontknowmypassword iforgotmypassword ihatepasswords! ihatepasswords1 ilovemyfamily123 ilovemyhusband1
    iloveyouforever iloveyoumorethan iloveyousomuch! iloveyousomuch1 ingodwetrust1234 january123456789 jesuschrist12345
    jesuslovesyou123 justinbieber1234 justinbieber12345 lakerslakers123 leagueoflegends leagueoflegends1
    letmeinletmein123 letmeinplease123 linkinpark12345 livelaughlove123 livelaughloveforever liverpoolfc12345
    lkjhgfdsapoiuytrewq losangeleslakers loveyouforever1 loveyouforever123 manchestercity1 manchesterunited
    manchesterunited1 masteroftheuniverse masterpassword123 maytheforcebewithyou merrychristmas1 merrychristmas123
    metallicametallica michaeljackson1 michaeljackson123 mnbvcxzlkjhgfdsa mondaymondaymonday mothersmaidenname
    mylittlepony1234 mylittlepony12345 mypasswordis123 mypasswordispassword mysecretpassword neverevergiveup
    newyorkyankees1 newyorkyankees123 onceuponatime123 onedirection1234 onedirection12345 opensesameopensesame
    p@ssw0rd12345678 p@ssw0rdp@ssw0rd passw0rdpassw0rd passwordpassword1 passwordpassword123 pittsburghsteelers
    poiuytrewqlkjhgfdsa princessprincess1 q1w2e3r4q1w2e3r4 q1w2e3r4t5y6u7i8 q1w2e3r4t5y6u7i8o9p0 qazwsxedc123456
    qazwsxedcrfvtgb qazwsxedcrfvtgbyhn qazwsxedcrfvtgbyhnujm qweasdzxc123456 qweasdzxcqweasdzxc qwertyuiop12345
    qwertyuiop123456 qwertyuiop1234567890 qwertyuiopasdfgh qwertyuiopasdfghjkl qwertyuiopasdfghjklzxcvbnm
    qwertzuiopasdfgh realmadridcf1902 rememberme12345 remembermeremember rootrootrootroot sanfrancisco49ers
    secretpassword123 slipknotslipknot spongebobsquarepants summersummer2024 supersecretpassword sweetheart12345
    sweetheart123456 taylorswift12345 teenagemutantninja temporarypassword test12345678910 testingtesting123
    testtesttesttest thequickbrownfox thequickbrownfoxjumps thequickbrownfoxjumpsoverthelazydog thisisapassword
    thisisasecurepassword thisismypassword tobeornottobe123 tobeornottobethat toortoortoortoor transformers123
    unitedkingdom123 unitedstatesofamerica welcometomyworld welcometothejungle winterwinter2025 worldofwarcraft
    worldofwarcraft1 youllneverwalkalone zaq12wsxcde34rfv zaq1xsw2cde3vfr4 zxcvbnm123456789 zxcvbnmasdfghjkl
    zxcvbnmasdfghjklqwertyuiop zxcvzxcvzxcvzxcv zyxwvutsrqponmlkjihgfedcba
    """)

  /// The words that are refused in each of their ``forms(of:)``.
  package static let words = entries(
    """
    admin america angel arsenal autumn banana barcelona baseball blessed buster butterfly canada charlie cheese chelsea
    chocolate church computer cookie daniel diamond dragon family flower football forever freedom friends ginger golden
    heaven hello hockey hunter iloveyou internet jennifer jesus jordan joshua killer letmein liverpool login london
    lovely lovers maggie master michael minecraft monkey naruto orange password passwort pepper pokemon princess purple
    qwerty ranger samsung secret shadow silver soccer spring starwars summer sunshine superman trustno1 welcome whatever
    winter
    """)

  /// The passwords that people make of a short word: with digits after it, or repeated.
  package static func forms(of word: String) -> [String] {
    let counted = ["123456789", "1234567890", "12345678910"].map { word + $0 }.filter { $0.count >= shortest }
    let times = max(2, (shortest + word.count - 1) / word.count)
    return counted + [String(repeating: word, count: times)]
  }

  private static let shortest = PasswordPolicy.shortest

  private static func entries(_ text: String) -> [String] { text.split { $0 == " " || $0 == "\n" }.map(String.init) }
}
