// A recorded device: RECORD.json as the readings that it holds.
#pragma once
#include "section.hpp"
#include <fade/device/truth/readings.hpp>
#include <string>

namespace fade::doctor {

/// Parses JSON of bounded depth without duplicate keys, or refuses it in a sentence.
json parse_json(const std::string& text, const std::string& what);

/// The readings of a record. What the record says the card is (gpu, bad, truth) is never looked at.
truth::readings read_record(const json& record);

/// The file's content; refuses what cannot be read, or is larger than any record.
std::string read_file(const std::string& path);

}  // namespace fade::doctor
