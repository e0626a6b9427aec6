// XCTest on macOS or Linux: the emulator is a process that ends with the tests, because its stdin does.
import Foundation
import XCTest

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct Started: Decodable {
    let base_url: String
    let token: String
}

final class HarborTests: XCTestCase {
    func testItReadsVariables() async throws {
        let emulator = Process()
        let input = Pipe()
        let output = Pipe()
        emulator.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        emulator.arguments = [
            "tokensync", "emulator", "serve", "--port", "0", "--end-with-stdin", "--key", "Harbor", "--seed",
            "harbor.local.json",
        ]
        emulator.standardInput = input
        emulator.standardOutput = output
        try emulator.run()
        defer { try? input.fileHandleForWriting.close() }

        let line = output.fileHandleForReading.availableData
        let started = try JSONDecoder().decode(Started.self, from: line)
        var request = URLRequest(url: URL(string: started.base_url + "/v1/files/Harbor/variables/local")!)
        request.setValue(started.token, forHTTPHeaderField: "X-Figma-Token")
        let (_, response) = try await URLSession.shared.data(for: request)
        XCTAssertEqual((response as? HTTPURLResponse)?.statusCode, 200)
    }
}
