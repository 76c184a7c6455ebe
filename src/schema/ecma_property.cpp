#include "schema/ecma_property.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <utility>

namespace lanyard::schema {

namespace {

struct Alias {
    std::string_view alias;
    std::string_view name;
};

// Values of General_Category: the names that ECMA-262 allows, and RE2's name for each.
constexpr Alias categories[] = {
    {"Cased_Letter", "LC"},
    {"Close_Punctuation", "Pe"},
    {"Connector_Punctuation", "Pc"},
    {"Control", "Cc"},
    {"cntrl", "Cc"},
    {"Currency_Symbol", "Sc"},
    {"Dash_Punctuation", "Pd"},
    {"Decimal_Number", "Nd"},
    {"digit", "Nd"},
    {"Enclosing_Mark", "Me"},
    {"Final_Punctuation", "Pf"},
    {"Format", "Cf"},
    {"Initial_Punctuation", "Pi"},
    {"Letter", "L"},
    {"Letter_Number", "Nl"},
    {"Line_Separator", "Zl"},
    {"Lowercase_Letter", "Ll"},
    {"Mark", "M"},
    {"Combining_Mark", "M"},
    {"Math_Symbol", "Sm"},
    {"Modifier_Letter", "Lm"},
    {"Modifier_Symbol", "Sk"},
    {"Nonspacing_Mark", "Mn"},
    {"Number", "N"},
    {"Open_Punctuation", "Ps"},
    {"Other", "C"},
    {"Other_Letter", "Lo"},
    {"Other_Number", "No"},
    {"Other_Punctuation", "Po"},
    {"Other_Symbol", "So"},
    {"Paragraph_Separator", "Zp"},
    {"Private_Use", "Co"},
    {"Punctuation", "P"},
    {"punct", "P"},
    {"Separator", "Z"},
    {"Space_Separator", "Zs"},
    {"Spacing_Mark", "Mc"},
    {"Surrogate", "Cs"},
    {"Symbol", "S"},
    {"Titlecase_Letter", "Lt"},
    {"Unassigned", "Cn"},
    {"Uppercase_Letter", "Lu"},
};
constexpr std::string_view short_categories[] = {
    "C",  "Cc", "Cf", "Cn", "Co", "Cs", "L",  "LC", "Ll", "Lm", "Lo", "Lt", "Lu",
    "M",  "Mc", "Me", "Mn", "N",  "Nd", "Nl", "No", "P",  "Pc", "Pd", "Pe", "Pf",
    "Pi", "Po", "Ps", "S",  "Sc", "Sk", "Sm", "So", "Z",  "Zl", "Zp", "Zs",
};

// Values of Script; RE2 knows the long names.
constexpr Alias scripts[] = {
    {"Qaac", "Coptic"},
    {"Qaai", "Inherited"},
    {"Zyyy", "Common"},
    {"Zinh", "Inherited"},
    {"Arab", "Arabic"},
    {"Armn", "Armenian"},
    {"Beng", "Bengali"},
    {"Bopo", "Bopomofo"},
    {"Cher", "Cherokee"},
    {"Copt", "Coptic"},
    {"Cyrl", "Cyrillic"},
    {"Dsrt", "Deseret"},
    {"Deva", "Devanagari"},
    {"Ethi", "Ethiopic"},
    {"Geor", "Georgian"},
    {"Goth", "Gothic"},
    {"Grek", "Greek"},
    {"Gujr", "Gujarati"},
    {"Guru", "Gurmukhi"},
    {"Hani", "Han"},
    {"Hang", "Hangul"},
    {"Hebr", "Hebrew"},
    {"Hira", "Hiragana"},
    {"Knda", "Kannada"},
    {"Kana", "Katakana"},
    {"Khmr", "Khmer"},
    {"Laoo", "Lao"},
    {"Latn", "Latin"},
    {"Mlym", "Malayalam"},
    {"Mong", "Mongolian"},
    {"Mymr", "Myanmar"},
    {"Ogam", "Ogham"},
    {"Ital", "Old_Italic"},
    {"Orya", "Oriya"},
    {"Runr", "Runic"},
    {"Sinh", "Sinhala"},
    {"Syrc", "Syriac"},
    {"Taml", "Tamil"},
    {"Telu", "Telugu"},
    {"Thaa", "Thaana"},
    {"Thai", "Thai"},
    {"Tibt", "Tibetan"},
    {"Cans", "Canadian_Aboriginal"},
    {"Yiii", "Yi"},
    {"Tglg", "Tagalog"},
    {"Hano", "Hanunoo"},
    {"Buhd", "Buhid"},
    {"Tagb", "Tagbanwa"},
    {"Brai", "Braille"},
    {"Cprt", "Cypriot"},
    {"Limb", "Limbu"},
    {"Linb", "Linear_B"},
    {"Osma", "Osmanya"},
    {"Shaw", "Shavian"},
    {"Tale", "Tai_Le"},
    {"Ugar", "Ugaritic"},
    {"Bugi", "Buginese"},
    {"Glag", "Glagolitic"},
    {"Khar", "Kharoshthi"},
    {"Sylo", "Syloti_Nagri"},
    {"Talu", "New_Tai_Lue"},
    {"Tfng", "Tifinagh"},
    {"Xpeo", "Old_Persian"},
    {"Bali", "Balinese"},
    {"Batk", "Batak"},
    {"Brah", "Brahmi"},
    {"Cham", "Cham"},
    {"Egyp", "Egyptian_Hieroglyphs"},
    {"Hmng", "Pahawh_Hmong"},
    {"Hung", "Old_Hungarian"},
    {"Java", "Javanese"},
    {"Kali", "Kayah_Li"},
    {"Lepc", "Lepcha"},
    {"Lina", "Linear_A"},
    {"Mand", "Mandaic"},
    {"Mero", "Meroitic_Hieroglyphs"},
    {"Nkoo", "Nko"},
    {"Orkh", "Old_Turkic"},
    {"Perm", "Old_Permic"},
    {"Phag", "Phags_Pa"},
    {"Phnx", "Phoenician"},
    {"Plrd", "Miao"},
    {"Vaii", "Vai"},
    {"Xsux", "Cuneiform"},
    {"Zzzz", "Unknown"},
    {"Cari", "Carian"},
    {"Lana", "Tai_Tham"},
    {"Lyci", "Lycian"},
    {"Lydi", "Lydian"},
    {"Olck", "Ol_Chiki"},
    {"Rjng", "Rejang"},
    {"Saur", "Saurashtra"},
    {"Sgnw", "SignWriting"},
    {"Sund", "Sundanese"},
    {"Mtei", "Meetei_Mayek"},
    {"Armi", "Imperial_Aramaic"},
    {"Avst", "Avestan"},
    {"Cakm", "Chakma"},
    {"Kthi", "Kaithi"},
    {"Mani", "Manichaean"},
    {"Phli", "Inscriptional_Pahlavi"},
    {"Phlp", "Psalter_Pahlavi"},
    {"Prti", "Inscriptional_Parthian"},
    {"Samr", "Samaritan"},
    {"Tavt", "Tai_Viet"},
    {"Bamu", "Bamum"},
    {"Lisu", "Lisu"},
    {"Sarb", "Old_South_Arabian"},
    {"Bass", "Bassa_Vah"},
    {"Dupl", "Duployan"},
    {"Elba", "Elbasan"},
    {"Gran", "Grantha"},
    {"Mend", "Mende_Kikakui"},
    {"Merc", "Meroitic_Cursive"},
    {"Narb", "Old_North_Arabian"},
    {"Nbat", "Nabataean"},
    {"Palm", "Palmyrene"},
    {"Sind", "Khudawadi"},
    {"Wara", "Warang_Citi"},
    {"Mroo", "Mro"},
    {"Nshu", "Nushu"},
    {"Shrd", "Sharada"},
    {"Sora", "Sora_Sompeng"},
    {"Takr", "Takri"},
    {"Tang", "Tangut"},
    {"Hluw", "Anatolian_Hieroglyphs"},
    {"Khoj", "Khojki"},
    {"Tirh", "Tirhuta"},
    {"Aghb", "Caucasian_Albanian"},
    {"Mahj", "Mahajani"},
    {"Ahom", "Ahom"},
    {"Hatr", "Hatran"},
    {"Modi", "Modi"},
    {"Mult", "Multani"},
    {"Pauc", "Pau_Cin_Hau"},
    {"Sidd", "Siddham"},
    {"Adlm", "Adlam"},
    {"Bhks", "Bhaiksuki"},
    {"Marc", "Marchen"},
    {"Newa", "Newa"},
    {"Osge", "Osage"},
    {"Gonm", "Masaram_Gondi"},
    {"Soyo", "Soyombo"},
    {"Zanb", "Zanabazar_Square"},
    {"Dogr", "Dogra"},
    {"Gong", "Gunjala_Gondi"},
    {"Maka", "Makasar"},
    {"Medf", "Medefaidrin"},
    {"Rohg", "Hanifi_Rohingya"},
    {"Sogd", "Sogdian"},
    {"Sogo", "Old_Sogdian"},
    {"Elym", "Elymaic"},
    {"Hmnp", "Nyiakeng_Puachue_Hmong"},
    {"Nand", "Nandinagari"},
    {"Wcho", "Wancho"},
    {"Chrs", "Chorasmian"},
    {"Diak", "Dives_Akuru"},
    {"Kits", "Khitan_Small_Script"},
    {"Yezi", "Yezidi"},
    {"Cpmn", "Cypro_Minoan"},
    {"Ougr", "Old_Uyghur"},
    {"Tnsa", "Tangsa"},
    {"Toto", "Toto"},
    {"Vith", "Vithkuqi"},
    {"Kawi", "Kawi"},
    {"Nagm", "Nag_Mundari"},
};

// Unicode's Other_Alphabetic and Other_Lowercase: what Alphabetic and Lowercase have beyond the
// general categories.
constexpr std::string_view other_alphabetic =
    "345 5B0-5BD 5BF 5C1-5C2 5C4-5C5 5C7 610-61A 64B-657 659-65F 670 6D6-6DC 6E1-6E4 6E7-6E8 "
    "6ED 711 730-73F 7A6-7B0 816-817 81B-823 825-827 829-82C 8D4-8DF 8E3-8E9 8F0-903 93A-93B "
    "93E-94C 94E-94F 955-957 962-963 981-983 9BE-9C4 9C7-9C8 9CB-9CC 9D7 9E2-9E3 A01-A03 "
    "A3E-A42 A47-A48 A4B-A4C A51 A70-A71 A75 A81-A83 ABE-AC5 AC7-AC9 ACB-ACC AE2-AE3 AFA-AFC "
    "B01-B03 B3E-B44 B47-B48 B4B-B4C B56-B57 B62-B63 B82 BBE-BC2 BC6-BC8 BCA-BCC BD7 C00-C04 "
    "C3E-C44 C46-C48 C4A-C4C C55-C56 C62-C63 C81-C83 CBE-CC4 CC6-CC8 CCA-CCC CD5-CD6 CE2-CE3 "
    "CF3 D00-D03 D3E-D44 D46-D48 D4A-D4C D57 D62-D63 D81-D83 DCF-DD4 DD6 DD8-DDF DF2-DF3 E31 "
    "E34-E3A E4D EB1 EB4-EB9 EBB-EBC ECD F71-F83 F8D-F97 F99-FBC 102B-1036 1038 103B-103E "
    "1056-1059 105E-1060 1062-1064 1067-106D 1071-1074 1082-108D 108F 109A-109D 1712-1713 "
    "1732-1733 1752-1753 1772-1773 17B6-17C8 1885-1886 18A9 1920-192B 1930-1938 1A17-1A1B "
    "1A55-1A5E 1A61-1A74 1ABF-1AC0 1ACC-1ACE 1B00-1B04 1B35-1B43 1B80-1B82 1BA1-1BA9 "
    "1BAC-1BAD 1BE7-1BF1 1C24-1C36 1DE7-1DF4 24B6-24E9 2DE0-2DFF A674-A67B A69E-A69F A802 "
    "A80B A823-A827 A880-A881 A8B4-A8C3 A8C5 A8FF A926-A92A A947-A952 A980-A983 A9B4-A9BF "
    "A9E5 AA29-AA36 AA43 AA4C-AA4D AA7B-AA7D AAB0 AAB2-AAB4 AAB7-AAB8 AABE AAEB-AAEF AAF5 "
    "ABE3-ABEA FB1E 10376-1037A 10A01-10A03 10A05-10A06 10A0C-10A0F 10D24-10D27 10EAB-10EAC "
    "11000-11002 11038-11045 11073-11074 11080-11082 110B0-110B8 110C2 11100-11102 "
    "11127-11132 11145-11146 11180-11182 111B3-111BF 111CE-111CF 1122C-11234 11237 1123E "
    "11241 112DF-112E8 11300-11303 1133E-11344 11347-11348 1134B-1134C 11357 11362-11363 "
    "11435-11441 11443-11445 114B0-114C1 115AF-115B5 115B8-115BE 115DC-115DD 11630-1163E "
    "11640 116AB-116B5 1171D-1172A 1182C-11838 11930-11935 11937-11938 1193B-1193C 11940 "
    "11942 119D1-119D7 119DA-119DF 119E4 11A01-11A0A 11A35-11A39 11A3B-11A3E 11A51-11A5B "
    "11A8A-11A97 11C2F-11C36 11C38-11C3E 11C92-11CA7 11CA9-11CB6 11D31-11D36 11D3A "
    "11D3C-11D3D 11D3F-11D41 11D43 11D47 11D8A-11D8E 11D90-11D91 11D93-11D96 11EF3-11EF6 "
    "11F00-11F01 11F03 11F34-11F3A 11F3E-11F40 16F4F 16F51-16F87 16F8F-16F92 16FF0-16FF1 "
    "1BC9E 1E000-1E006 1E008-1E018 1E01B-1E021 1E023-1E024 1E026-1E02A 1E08F 1E947 "
    "1F130-1F149 1F150-1F169 1F170-1F189";
constexpr std::string_view other_lowercase =
    "AA BA 2B0-2B8 2C0-2C1 2E0-2E4 345 37A 10FC 1D2C-1D6A 1D78 1D9B-1DBF 2071 207F 2090-209C "
    "2170-217F 24D0-24E9 2C7C-2C7D A69C-A69D A770 A7F2-A7F4 A7F8-A7F9 AB5C-AB5F AB69 10780 "
    "10783-10785 10787-107B0 107B2-107BA 1E030-1E06D";
constexpr std::string_view other_uppercase =
    "2160-216F 24B6-24CF 1F130-1F149 1F150-1F169 1F170-1F189";

// Binary properties: general categories and the code points beyond them. Where both are empty the
// property is valid, but RE2 has no data to express it.
struct BinaryProperty {
    std::string_view name;
    std::string_view alias;
    std::string_view groups = {};
    std::string_view ranges = {};
    std::string_view more_ranges = {};
};
constexpr std::string_view cased_letters = R"(\p{Lu}\p{Ll}\p{Lt})";
constexpr BinaryProperty binary_properties[] = {
    {"ASCII", "ASCII", {}, "0-7F"},
    {"ASCII_Hex_Digit", "AHex", {}, "30-39 41-46 61-66"},
    {"Alphabetic", "Alpha", R"(\p{L}\p{Nl})", other_alphabetic},
    {"Any", "Any", {}, "0-10FFFF"},
    {"Bidi_Control", "Bidi_C", {}, "61C 200E-200F 202A-202E 2066-2069"},
    {"Bidi_Mirrored", "Bidi_M"},
    {"Case_Ignorable", "CI"},
    {"Cased", "Cased", cased_letters, other_lowercase, other_uppercase},
    {"Changes_When_Casefolded", "CWCF"},
    {"Changes_When_Casemapped", "CWCM"},
    {"Changes_When_Lowercased", "CWL"},
    {"Changes_When_NFKC_Casefolded", "CWKCF"},
    {"Changes_When_Titlecased", "CWT"},
    {"Changes_When_Uppercased", "CWU"},
    {"Dash", "Dash", R"(\p{Pd})", "2053 207B 208B 2212"},
    {"Default_Ignorable_Code_Point", "DI"},
    {"Deprecated", "Dep"},
    {"Diacritic", "Dia"},
    {"Emoji", "Emoji"},
    {"Emoji_Component", "EComp"},
    {"Emoji_Modifier", "EMod", {}, "1F3FB-1F3FF"},
    {"Emoji_Modifier_Base", "EBase"},
    {"Emoji_Presentation", "EPres"},
    {"Extended_Pictographic", "ExtPict"},
    {"Extender", "Ext"},
    {"Grapheme_Base", "Gr_Base"},
    {"Grapheme_Extend", "Gr_Ext"},
    {"Hex_Digit", "Hex", {}, "30-39 41-46 61-66 FF10-FF19 FF21-FF26 FF41-FF46"},
    {"IDS_Binary_Operator", "IDSB"},
    {"IDS_Trinary_Operator", "IDST"},
    {"ID_Continue", "IDC"},
    {"ID_Start", "IDS"},
    {"Ideographic", "Ideo"},
    {"Join_Control", "Join_C", {}, "200C-200D"},
    {"Logical_Order_Exception", "LOE"},
    {"Lowercase", "Lower", R"(\p{Ll})", other_lowercase},
    {"Math", "Math"},
    {"Noncharacter_Code_Point",
     "NChar",
     {},
     "FDD0-FDEF FFFE-FFFF 1FFFE-1FFFF 2FFFE-2FFFF "
     "3FFFE-3FFFF 4FFFE-4FFFF 5FFFE-5FFFF 6FFFE-6FFFF 7FFFE-7FFFF 8FFFE-8FFFF 9FFFE-9FFFF "
     "AFFFE-AFFFF BFFFE-BFFFF CFFFE-CFFFF DFFFE-DFFFF EFFFE-EFFFF FFFFE-FFFFF 10FFFE-10FFFF"},
    {"Pattern_Syntax", "Pat_Syn"},
    {"Pattern_White_Space", "Pat_WS", {}, "9-D 20 85 200E-200F 2028-2029"},
    {"Quotation_Mark",
     "QMark",
     {},
     "22 27 AB BB 2018-201F 2039-203A 2E42 300C-300F 301D-301F "
     "FE41-FE44 FF02 FF07 FF62-FF63"},
    {"Radical", "Radical"},
    {"Regional_Indicator", "RI", {}, "1F1E6-1F1FF"},
    {"Sentence_Terminal", "STerm"},
    {"Soft_Dotted", "SD"},
    {"Terminal_Punctuation", "Term"},
    {"Unified_Ideograph", "UIdeo"},
    {"Uppercase", "Upper", R"(\p{Lu})", other_uppercase},
    {"Variation_Selector", "VS", {}, "180B-180D 180F FE00-FE0F E0100-E01EF"},
    {"White_Space", "space", {}, "9-D 20 85 A0 1680 2000-200A 2028-2029 202F 205F 3000"},
    {"XID_Continue", "XIDC"},
    {"XID_Start", "XIDS"},
};

void append_range(std::string& out, std::uint32_t first, std::uint32_t last) {
    char digits[8];
    auto const append = [&](std::uint32_t code_point) {
        auto const end = std::to_chars(digits, digits + sizeof digits, code_point, 16);
        out.append("\\x{").append(digits, end.ptr).push_back('}');
    };
    append(first);
    out.push_back('-');
    append(last);
}

Property known(CodePointSet set) {
    return {Property::Status::known, std::move(set)};
}

Property find_category(std::string_view value) {
    auto const alias =
        std::ranges::find_if(categories, [&](Alias const& a) { return a.alias == value; });
    auto const name = alias != std::end(categories) ? alias->name : value;
    if (std::ranges::find(short_categories, name) == std::end(short_categories)) return {};
    // RE2's C has no unassigned code points, and it knows neither Cn nor LC.
    constexpr std::string_view assigned_but_other = R"(\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z})";
    if (name == "C") return known({{}, std::string(assigned_but_other)});
    if (name == "Cn") return known({{}, std::string(assigned_but_other) + R"(\p{C})"});
    if (name == "LC") return known({std::string(cased_letters), {}});
    std::string const braced = "{" + std::string(name) + "}";
    return known({"\\p" + braced, "\\P" + braced});
}

Property find_script(std::string_view value) {
    auto const script = std::ranges::find_if(
        scripts, [&](Alias const& s) { return s.name == value || s.alias == value; });
    if (script == std::end(scripts)) return {};
    std::string const braced = "{" + std::string(script->name) + "}";
    return known({"\\p" + braced, "\\P" + braced});
}

Property find_binary(std::string_view name) {
    if (name == "Assigned") {
        auto unassigned = find_category("Cn");
        unassigned.set.negate();
        return unassigned;
    }
    auto const property = std::ranges::find_if(binary_properties, [&](BinaryProperty const& p) {
        return p.name == name || p.alias == name;
    });
    if (property == std::end(binary_properties)) return {};
    if (property->ranges.empty()) return {Property::Status::unsupported, {"a", "b"}};
    auto set = CodePointSet::of_ranges(property->ranges);
    if (property->groups.empty()) return known(std::move(set));
    set.body += property->groups;
    set.body += CodePointSet::of_ranges(property->more_ranges).body;
    set.opposite.clear();
    return known(std::move(set));
}

}  // namespace

CodePointSet CodePointSet::of_ranges(std::string_view ranges) {
    CodePointSet set;
    std::uint32_t next = 0;  // the first code point after the ranges so far
    char const* at = ranges.data();
    char const* const end = at + ranges.size();
    while (at != end) {
        std::uint32_t first = 0;
        at = std::from_chars(at, end, first, 16).ptr;
        std::uint32_t last = first;
        if (at != end && *at == '-') at = std::from_chars(at + 1, end, last, 16).ptr;
        if (at != end) ++at;
        append_range(set.body, first, last);
        if (first > next) append_range(set.opposite, next, first - 1);
        next = last + 1;
    }
    if (next <= 0x10FFFF) append_range(set.opposite, next, 0x10FFFF);
    return set;
}

Property find_property(std::string_view expression) {
    auto const equals = expression.find('=');
    if (equals == std::string_view::npos) {
        auto category = find_category(expression);
        return category.status == Property::Status::unknown ? find_binary(expression) : category;
    }
    auto const name = expression.substr(0, equals);
    auto const value = expression.substr(equals + 1);
    if (name == "General_Category" || name == "gc") return find_category(value);
    if (name == "Script" || name == "sc") return find_script(value);
    if (name == "Script_Extensions" || name == "scx") {
        auto script = find_script(value);
        if (script.status == Property::Status::known) {
            script.status = Property::Status::unsupported;
        }
        return script;
    }
    return {};
}

}  // namespace lanyard::schema
