// FADE from Rust, by plain `extern`: D = A B on this CPU.
//
//   rustc -L build/host/lib -l fade gemm.rs && LD_LIBRARY_PATH=build/host/lib ./gemm
use std::ffi::{c_char, c_void, CStr, CString};

/// fade_gemm_args of fade.h, field by field.
#[repr(C)]
struct GemmArgs {
    size: usize,
    input: i32,
    out: i32,
    layout: i32,
    split_k: i32,
    sizes: [i64; 4], // m, n, k, batch
    alpha: f64,
    beta: f64,
    leading: [i64; 4], // lda, ldb, ldc, ldd
    strides: [i64; 4], // of a, b, c, d
    a: *const c_void,
    b: *const c_void,
    c: *const c_void,
    d: *mut c_void,
    stages: *const c_void,
    stage_count: i32,
}

#[repr(C)]
struct FadeError {
    size: usize,
    status: i32,
    argument: *const c_char,
    value: *const c_char,
    rule: *const c_char,
    message: *const c_char,
}

extern "C" {
    fn fade_device_open(name: *const c_char, config: *const c_void, out: *mut *mut c_void) -> i32;
    fn fade_device_close(device: *mut c_void);
    fn fade_gemm_init(to: *mut GemmArgs, size: usize);
    fn fade_gemm(device: *mut c_void, args: *const GemmArgs, options: *const c_void) -> i32;
    fn fade_last_error() -> *const FadeError;
}

/// A device that closes itself.
struct Device(*mut c_void);
impl Drop for Device {
    fn drop(&mut self) {
        unsafe { fade_device_close(self.0) }
    }
}

fn done(status: i32) -> Result<(), String> {
    if status == 0 {
        return Ok(());
    }
    let sentence = unsafe { CStr::from_ptr((*fade_last_error()).message) };
    Err(sentence.to_string_lossy().into_owned())
}

fn open(name: &str) -> Result<Device, String> {
    let name = CString::new(name).map_err(|e| e.to_string())?;
    let mut device = std::ptr::null_mut();
    done(unsafe { fade_device_open(name.as_ptr(), std::ptr::null(), &mut device) })?;
    Ok(Device(device))
}

/// The product of a, m x k, and b, k x n, row after row.
fn gemm(device: &mut Device, m: usize, n: usize, k: usize, a: &[f32], b: &[f32]) -> Result<Vec<f32>, String> {
    assert!(a.len() == m * k && b.len() == k * n);
    let mut d = vec![0f32; m * n];
    let mut args = std::mem::MaybeUninit::<GemmArgs>::uninit();
    let args = unsafe {
        fade_gemm_init(args.as_mut_ptr(), std::mem::size_of::<GemmArgs>());
        args.assume_init_mut()
    };
    args.sizes = [m as i64, n as i64, k as i64, 1];
    args.a = a.as_ptr().cast();
    args.b = b.as_ptr().cast();
    args.d = d.as_mut_ptr().cast();
    done(unsafe { fade_gemm(device.0, args, std::ptr::null()) })?;
    Ok(d)
}

fn main() -> Result<(), String> {
    let mut device = open("host")?;
    let d = gemm(&mut device, 2, 2, 3, &[1., 2., 3., 4., 5., 6.], &[1., 0., 0., 1., 1., 1.])?;
    println!("{d:?}");
    assert_eq!(d, [4., 5., 10., 11.]);
    let said = open("emulated:gfx0").err().expect("there is no such device");
    println!("{said}");
    Ok(())
}
