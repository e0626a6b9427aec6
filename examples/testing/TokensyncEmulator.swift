// An empty platform for a test: a space of the emulator at TOKENSYNC_EMULATOR_URL, or else of one that ends with the tests.
import Foundation
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct TokensyncEmulator: Decodable {
    let baseURL: String
    let token: String

    enum CodingKeys: String, CodingKey {
        case baseURL = "base_url"
        case token
    }

    private static let input = Pipe()  // the emulator ends when it is closed: with this process
    private static let server = Result { try ProcessInfo.processInfo.environment["TOKENSYNC_EMULATOR_URL"] ?? started() }

    init() async throws {
        let url = try Self.server.get() + "/_emulator/spaces"
        let (body, _) = try await Self.send("POST", url, token: "", body: Data("{}".utf8))
        self = try JSONDecoder().decode(Self.self, from: body)
    }

    func seed(_ fileKey: String, _ local: String) async throws {
        let local = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: local)))
        let document = try JSONSerialization.data(withJSONObject: ["file_key": fileKey, "local": local])
        let (_, status) = try await Self.send("POST", baseURL + "/_emulator/seed", token: token, body: document)
        XCTAssertEqual(status, 200)
    }

    func get(_ path: String) async throws -> (body: Data, status: Int?) {
        try await Self.send("GET", baseURL + path, token: token, body: nil)
    }

    private static func started() throws -> String {
        let emulator = Process()
        let output = Pipe()
        emulator.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        emulator.arguments = ["tokensync", "emulator", "serve", "--port", "0", "--end-with-stdin"]
        emulator.standardInput = input
        emulator.standardOutput = output
        try emulator.run()
        return try JSONDecoder().decode(Self.self, from: output.fileHandleForReading.availableData).baseURL
    }

    private static func send(_ method: String, _ url: String, token: String, body: Data?) async throws -> (Data, Int?) {
        var request = URLRequest(url: URL(string: url)!)
        request.httpMethod = method
        request.httpBody = body
        request.setValue(token, forHTTPHeaderField: "X-Figma-Token")
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        let (answer, response) = try await URLSession.shared.data(for: request)
        return (answer, (response as? HTTPURLResponse)?.statusCode)
    }
}
