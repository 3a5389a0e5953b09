/// Words that espeak-ng's English rules say otherwise than people do, spelled so that it says them right.
///
/// Only what the voice says changes; the written text stays as it is. The list is of words of the trade that answers about
/// computers hold, found by listening to espeak-ng 1.51 and transcribing.
struct Respelling: Sendable {
    private static let words: [String: String] = [
        "sudo": "soodoo", "debian": "debbian", "linux": "linnux", "ubuntu": "ooboontoo", "daemon": "deemon", "cron": "kron",
        "crontab": "krontab", "nginx": "engine X", "apache": "apatchy", "cache": "cash", "cached": "cashed", "caches": "cashes", "fstab": "F S tab",
        "passwd": "password", "chmod": "ch mod", "chown": "ch own", "mysql": "my S Q L", "sqlite": "S Q lite", "systemd": "system D",
        "sshd": "S S H D", "dpkg": "D package", "usr": "user", "regex": "redge ex", "async": "ay sink", "gui": "gooey", "kubernetes": "koobernetties",
    ]

    /// Abbreviations in capitals that are words to people; espeak-ng spells them.
    private static let acronyms = ["RAM": "ramm", "ROM": "romm", "LAN": "lann", "WAN": "wann", "SIM": "simm", "PIN": "pin", "NASDAQ": "nazdack", "SWAT": "swot"]

    /// The text with those words replaced, whole words only.
    ///
    /// - Parameter known: Words in lower case that are left as they are.
    static func apply(_ text: String, except known: [String: String] = [:]) -> String {
        var result = ""
        var word = ""
        var previous = ""
        func flush() {
            guard word.isEmpty == false else { return }
            let key = word.lowercased()
            // In a path people say "et-see"; elsewhere "etc" is "et cetera", which espeak-ng knows.
            if key == "etc", previous == "slash" {
                result += "etsy"
            } else {
                result += known[key] == nil ? acronyms[word] ?? words[key] ?? word : word
            }
            previous = key
            word = ""
        }
        for character in text {
            if character.isLetter || character.isNumber || character == "'" || character == "’" {
                word.append(character)
            } else {
                flush()
                result.append(character)
            }
        }
        flush()
        return result
    }
}
