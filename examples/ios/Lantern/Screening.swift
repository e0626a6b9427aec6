struct Screening: Identifiable, Hashable {
    let id: Int
    let film: String
    let synopsis: String
    let cinema: Cinema
    let time: String
    let seatsLeft: Int

    var isNearlyFull: Bool { seatsLeft < 10 }
}

enum Cinema: String, CaseIterable {
    case lantern = "Lantern"
    case matinee = "Matinee"
}

extension Screening {
    static let tonight = [
        Screening(
            id: 1,
            film: "The Lighthouse Keeper's Daughter",
            synopsis: "Forty nights of fog, one lamp, and a letter that arrives too late.",
            cinema: .lantern,
            time: "18:30",
            seatsLeft: 42
        ),
        Screening(
            id: 2,
            film: "Paper Moons",
            synopsis: "A projectionist in 1956 finds a reel that no studio remembers.",
            cinema: .matinee,
            time: "19:00",
            seatsLeft: 6
        ),
        Screening(
            id: 3,
            film: "Northbound",
            synopsis: "Two brothers, a borrowed tram, and a city that is asleep.",
            cinema: .lantern,
            time: "21:15",
            seatsLeft: 18
        ),
    ]
}
