@main
struct Sotto {
    static func main() async {}
}
