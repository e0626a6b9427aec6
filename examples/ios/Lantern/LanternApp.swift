import LanternTokens
import SwiftUI

@main
struct LanternApp: App {
    @AppStorage("isCompact") private var isCompact = false

    var body: some Scene {
        WindowGroup {
            Tonight(screenings: Screening.tonight, isCompact: $isCompact)
                .tokensTheme(isCompact ? TokensTheme(density: DensityCompactTokens()) : TokensTheme())
        }
    }
}
