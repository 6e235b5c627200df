# What Conan's packages cannot say: who uses FADE is compiled as C++20, even where the profile's standard is older.
target_compile_features(fade::fade INTERFACE cxx_std_20)
