import TextFormat

/// The parameters of tools that a request repeats as headers, as `x-mcp-header` in the schemas of
/// the tools says (MCP 2026-07-28, "Custom Headers from Tool Parameters").
struct MirroredParameters {
  /// A tool that cannot be called, and why.
  struct Rejection: Equatable {
    let tool: String
    let reason: String
  }

  private struct Parameter {
    let header: String
    let path: [String]
  }

  private var tools: [String: [Parameter]] = [:]

  /// Reads a list of tools, and takes those out of it whose annotations are invalid, as a client
  /// must.
  ///
  /// - Parameter answer: The answer to `tools/list`.
  /// - Returns: The answer, unchanged unless a tool was taken out; and those tools.
  mutating func learn(from answer: ServerMessage) -> (line: [UInt8], rejected: [Rejection]) {
    guard let list = answer.members["result", "tools"], list.isArray else { return (answer.line, []) }
    var (kept, rejected): ([JSONText], [Rejection]) = ([], [])
    for tool in list.elements {
      guard let name = tool["name"]?.string, let schema = tool["inputSchema"] else {
        kept.append(tool)
        continue
      }
      var search = Search()
      search.visit(schema, at: [], depth: 64)
      tools[name] = search.reason == nil ? search.found : nil
      if let reason = search.reason {
        rejected.append(Rejection(tool: name, reason: reason))
      } else {
        kept.append(tool)
      }
    }
    guard !rejected.isEmpty else { return (answer.line, []) }
    let place = list.bytes.startIndex..<list.bytes.endIndex
    let inner = answer.members.bytes
    let tools = Array("[".utf8) + kept.map { Array($0.bytes) }.joined(separator: [UInt8(ascii: ",")]) + Array("]".utf8)
    return (Array(inner[..<place.lowerBound]) + tools + Array(inner[place.upperBound...]), rejected)
  }

  /// The headers of a call; empty if the tool is not known, or mirrors nothing.
  func headers(of call: BridgeMessage) -> [String: String] {
    guard call.method == "tools/call", call.revision != nil, let name = call.subject, let parameters = tools[name],
      !parameters.isEmpty, let arguments = call.members["params", "arguments"]
    else { return [:] }
    return parameters.reduce(into: [:]) { headers, parameter in
      headers["Mcp-Param-" + parameter.header] = arguments[path: parameter.path].flatMap(Self.text)
    }
  }

  /// A value as a header has it; nil for null, and for what no parameter of a permitted type is.
  private static func text(_ value: JSONText) -> String? {
    switch value.value {
    case .string(let text): BridgeHeaders.encoded(text)
    case .bool(let value): value ? "true" : "false"
    case .integer(let number): String(number)
    case .number(let number): Int64(exactly: number).map(String.init)
    case _: nil
    }
  }

  /// The annotations in a schema.
  private struct Search {
    var found: [Parameter] = []
    var reason: String?
    // The keywords of JSON Schema 2020-12 whose value is a schema, a list or a map of schemas.
    // Values of others are data.
    private static let schemas: Set = [
      "items", "contains", "unevaluatedItems", "additionalProperties", "propertyNames", "unevaluatedProperties", "not",
      "if", "then", "else", "contentSchema",
    ]
    private static let lists: Set = ["allOf", "anyOf", "oneOf", "prefixItems"]
    private static let maps: Set = ["patternProperties", "dependentSchemas", "$defs", "definitions"]

    /// Visits a schema; `path` is nil where no chain of `properties` leads to it.
    mutating func visit(_ schema: JSONText, at path: [String]?, depth: Int) {
      guard depth > 0 else { return reason = "its schema is nested too deeply" }
      let members = schema.members
      if let annotation = members.last(where: { $0.name == "x-mcp-header" })?.value {
        add(annotation, schema["type"]?.string, at: path)
      }
      for (name, value) in members {
        switch name {
        case "properties":
          for (property, schema) in value.members { visit(schema, at: path.map { $0 + [property] }, depth: depth - 1) }
        case _ where Self.schemas.contains(name):
          visit(value, at: nil, depth: depth - 1)
          for schema in value.elements { visit(schema, at: nil, depth: depth - 1) }
        case _ where Self.lists.contains(name):
          for schema in value.elements { visit(schema, at: nil, depth: depth - 1) }
        case _ where Self.maps.contains(name):
          for (_, schema) in value.members { visit(schema, at: nil, depth: depth - 1) }
        case _: break
        }
      }
    }

    private mutating func add(_ annotation: JSONText, _ type: String?, at path: [String]?) {
      guard let path, !path.isEmpty else { return reason = "x-mcp-header is not at a property" }
      guard let header = annotation.string, header.wholeMatch(of: /[A-Za-z0-9!#$%&'*+\-.^_`|~]{1,256}/) != nil else {
        return reason = "its x-mcp-header cannot be the name of a header"
      }
      guard let type, ["string", "integer", "boolean"].contains(type) else {
        return reason = "x-mcp-header is at a parameter that is not a string, an integer or a boolean"
      }
      guard !found.contains(where: { $0.header.lowercased() == header.lowercased() }) else {
        return reason = "two of its parameters have the same x-mcp-header"
      }
      found.append(Parameter(header: header, path: path))
    }
  }
}
