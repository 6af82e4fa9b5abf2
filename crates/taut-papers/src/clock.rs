//! Clocks: what a thread worked, and what the wall says.

pub use taut_scene::simulation::seconds as wall;

/// Seconds that this thread has been at work: what other programs take of its core does not count. Where no such clock
/// is known, the wall's.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub fn work() -> f64 {
    /// `struct timespec` of 64-bit Linux.
    #[repr(C)]
    struct Time {
        seconds: i64,
        nanoseconds: i64,
    }
    unsafe extern "C" {
        fn clock_gettime(clock: i32, time: *mut Time) -> i32;
    }
    /// `CLOCK_THREAD_CPUTIME_ID`.
    const THREAD: i32 = 3;
    let mut time = Time { seconds: 0, nanoseconds: 0 };
    // SAFETY: the standard library links this function; it writes one `Time` to where it is told, and nothing else.
    let failed = unsafe { clock_gettime(THREAD, &mut time) } != 0;
    if failed { wall() } else { time.seconds as f64 + 1e-9 * time.nanoseconds as f64 }
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
pub fn work() -> f64 {
    wall()
}
