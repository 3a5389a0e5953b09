import Glibc

/// Blocks the calling thread for 50 ms.
func pauseOnce() -> Int32 { usleep(50_000) }
