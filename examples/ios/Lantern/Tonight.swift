import LanternTokens
import SwiftUI

/// The screenings of tonight, each in the brand of its cinema.
struct Tonight: View {
    let screenings: [Screening]
    @Binding var isCompact: Bool

    var body: some View {
        NavigationStack {
            List(screenings) { screening in
                NavigationLink(value: screening) {
                    ScreeningRow(screening: screening)
                        .brand(screening.cinema)
                }
                .listRowBackground(Color.surfaceRaised)
            }
            .scrollContentBackground(.hidden)
            .background(Color.surface)
            .navigationTitle("Tonight")
            .navigationDestination(for: Screening.self) { screening in
                ScreeningDetail(screening: screening)
                    .brand(screening.cinema)
            }
            .toolbar {
                Toggle("Compact", isOn: $isCompact)
            }
        }
    }
}

struct ScreeningRow: View {
    let screening: Screening
    @Environment(\.tokensTheme) private var theme

    var body: some View {
        HStack(spacing: Tokens.spaceMd) {
            VStack(alignment: .leading, spacing: Tokens.spaceXs) {
                Text(screening.film)
                    .textStyle(theme.headline)
                    .foregroundStyle(.textPrimary)
                Text(screening.cinema.rawValue)
                    .textStyle(Tokens.caption)
                    .foregroundStyle(.textSecondary)
            }
            Spacer()
            Text(screening.time)
                .textStyle(theme.headline)
                .foregroundStyle(theme.accent)
        }
        .padding(.vertical, theme.rowPadding)
    }
}
