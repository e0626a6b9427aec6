// XCTest on macOS or Linux, with TokensyncEmulator.swift beside it.
import XCTest

final class HarborTests: XCTestCase {
    func testItReadsVariables() async throws {
        let emulator = try await TokensyncEmulator()
        try await emulator.seed("Harbor", "harbor.local.json")
        let answer = try await emulator.get("/v1/files/Harbor/variables/local")
        XCTAssertEqual(answer.status, 200)
    }
}
