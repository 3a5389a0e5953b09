/// Dates as pages write them.
enum CalendarDate {
    /// ISO 8601 of a stamp or a written date: `2019-11-20`, `2019-11-20T08:00:00Z`; `nil` where the order of day and month cannot be told.
    static func iso(_ text: String) -> String? {
        let text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let head = text.prefix(10).utf8
        if head.count == 10, let year = Int(text.prefix(4)), let month = Int(text.dropFirst(5).prefix(2)), let day = Int(text.dropFirst(8).prefix(2)),
            let separator = text.dropFirst(4).first, "-/.".contains(separator), isDate(year, month, day) {
            let date = format(year, month, day)
            let time = text.dropFirst(10)
            guard let first = time.first, first == "T" || first == " ", time.count >= 6, time.count <= 30 else { return date }
            let clock = time.dropFirst().prefix { $0.isASCII && ($0.isNumber || $0 == ":" || $0 == "." || $0 == "+" || $0 == "-" || $0 == "Z") }
            return clock.contains(":") ? date + "T" + clock : date
        }
        if text.count == 8, let number = Int(text), isDate(number / 10_000, number / 100 % 100, number % 100) { return format(number / 10_000, number / 100 % 100, number % 100) }
        return written(text)
    }

    private static let months: [String: Int] = {
        var result: [String: Int] = [:]
        let lists = [
            "january february march april may june july august september october november december", "jan feb mar apr may jun jul aug sep oct nov dec",
            "januar februar märz april mai juni juli august september oktober november dezember", "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
            "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre", "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
            "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia", "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
            "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro", "januari februari maart april mei juni juli augustus september oktober november december",
        ]
        for list in lists { for (number, name) in list.split(separator: " ").enumerated() { result[String(name)] = number + 1 } }
        result["sept"] = 9
        return result
    }()

    /// "November 20, 2019", "20. November 2019", "20 de noviembre de 2019".
    private static func written(_ text: String) -> String? {
        let words = text.lowercased().prefix(120).split { " ,./|–-:()".contains($0) }
        for (index, word) in words.enumerated() {
            guard let month = months[String(word)] else { continue }
            func number(_ at: Int) -> Int? { words.indices.contains(at) ? Int(words[at].prefix { $0.isNumber }) : nil }
            if let day = number(index + 1), let year = number(index + 2), isDate(year, month, day) { return format(year, month, day) }
            let skipsBefore = index > 1 && words[index - 1] == "de" ? 2 : 1
            let skipsAfter = words.indices.contains(index + 1) && words[index + 1] == "de" ? 2 : 1
            if let day = number(index - skipsBefore), let year = number(index + skipsAfter), isDate(year, month, day) { return format(year, month, day) }
        }
        return nil
    }

    private static func isDate(_ year: Int, _ month: Int, _ day: Int) -> Bool { (1900...2100).contains(year) && (1...12).contains(month) && (1...31).contains(day) }

    private static func format(_ year: Int, _ month: Int, _ day: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(year)-\(two(month))-\(two(day))"
    }
}
