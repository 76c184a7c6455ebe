#include "schema/regex/ecma_property.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <utility>

namespace lanyard::schema {

namespace {

// The values of General_Category and of Script, written as name=alias: the name that RE2 uses, and
// an alias that ECMA-262 allows.
constexpr std::string_view categories =
    "C=Other Cc=Control Cc=cntrl Cf=Format Cn=Unassigned Co=Private_Use Cs=Surrogate L=Letter "
    "LC=Cased_Letter Ll=Lowercase_Letter Lm=Modifier_Letter Lo=Other_Letter Lt=Titlecase_Letter "
    "Lu=Uppercase_Letter M=Combining_Mark M=Mark Mc=Spacing_Mark Me=Enclosing_Mark "
    "Mn=Nonspacing_Mark N=Number Nd=Decimal_Number Nd=digit Nl=Letter_Number No=Other_Number "
    "P=Punctuation P=punct Pc=Connector_Punctuation Pd=Dash_Punctuation Pe=Close_Punctuation "
    "Pf=Final_Punctuation Pi=Initial_Punctuation Po=Other_Punctuation Ps=Open_Punctuation "
    "S=Symbol Sc=Currency_Symbol Sk=Modifier_Symbol Sm=Math_Symbol So=Other_Symbol Z=Separator "
    "Zl=Line_Separator Zp=Paragraph_Separator Zs=Space_Separator";
constexpr std::string_view scripts =
    "Adlam=Adlm Ahom=Ahom Anatolian_Hieroglyphs=Hluw Arabic=Arab Armenian=Armn Avestan=Avst "
    "Balinese=Bali Bamum=Bamu Bassa_Vah=Bass Batak=Batk Bengali=Beng Bhaiksuki=Bhks "
    "Bopomofo=Bopo Brahmi=Brah Braille=Brai Buginese=Bugi Buhid=Buhd Canadian_Aboriginal=Cans "
    "Carian=Cari Caucasian_Albanian=Aghb Chakma=Cakm Cham=Cham Cherokee=Cher Chorasmian=Chrs "
    "Common=Zyyy Coptic=Copt Coptic=Qaac Cuneiform=Xsux Cypriot=Cprt Cypro_Minoan=Cpmn "
    "Cyrillic=Cyrl Deseret=Dsrt Devanagari=Deva Dives_Akuru=Diak Dogra=Dogr Duployan=Dupl "
    "Egyptian_Hieroglyphs=Egyp Elbasan=Elba Elymaic=Elym Ethiopic=Ethi Georgian=Geor "
    "Glagolitic=Glag Gothic=Goth Grantha=Gran Greek=Grek Gujarati=Gujr Gunjala_Gondi=Gong "
    "Gurmukhi=Guru Han=Hani Hangul=Hang Hanifi_Rohingya=Rohg Hanunoo=Hano Hatran=Hatr "
    "Hebrew=Hebr Hiragana=Hira Imperial_Aramaic=Armi Inherited=Qaai Inherited=Zinh "
    "Inscriptional_Pahlavi=Phli Inscriptional_Parthian=Prti Javanese=Java Kaithi=Kthi "
    "Kannada=Knda Katakana=Kana Kawi=Kawi Kayah_Li=Kali Kharoshthi=Khar Khitan_Small_Script=Kits "
    "Khmer=Khmr Khojki=Khoj Khudawadi=Sind Lao=Laoo Latin=Latn Lepcha=Lepc Limbu=Limb "
    "Linear_A=Lina Linear_B=Linb Lisu=Lisu Lycian=Lyci Lydian=Lydi Mahajani=Mahj Makasar=Maka "
    "Malayalam=Mlym Mandaic=Mand Manichaean=Mani Marchen=Marc Masaram_Gondi=Gonm "
    "Medefaidrin=Medf Meetei_Mayek=Mtei Mende_Kikakui=Mend Meroitic_Cursive=Merc "
    "Meroitic_Hieroglyphs=Mero Miao=Plrd Modi=Modi Mongolian=Mong Mro=Mroo Multani=Mult "
    "Myanmar=Mymr Nabataean=Nbat Nag_Mundari=Nagm Nandinagari=Nand New_Tai_Lue=Talu Newa=Newa "
    "Nko=Nkoo Nushu=Nshu Nyiakeng_Puachue_Hmong=Hmnp Ogham=Ogam Ol_Chiki=Olck Old_Hungarian=Hung "
    "Old_Italic=Ital Old_North_Arabian=Narb Old_Permic=Perm Old_Persian=Xpeo Old_Sogdian=Sogo "
    "Old_South_Arabian=Sarb Old_Turkic=Orkh Old_Uyghur=Ougr Oriya=Orya Osage=Osge Osmanya=Osma "
    "Pahawh_Hmong=Hmng Palmyrene=Palm Pau_Cin_Hau=Pauc Phags_Pa=Phag Phoenician=Phnx "
    "Psalter_Pahlavi=Phlp Rejang=Rjng Runic=Runr Samaritan=Samr Saurashtra=Saur Sharada=Shrd "
    "Shavian=Shaw Siddham=Sidd SignWriting=Sgnw Sinhala=Sinh Sogdian=Sogd Sora_Sompeng=Sora "
    "Soyombo=Soyo Sundanese=Sund Syloti_Nagri=Sylo Syriac=Syrc Tagalog=Tglg Tagbanwa=Tagb "
    "Tai_Le=Tale Tai_Tham=Lana Tai_Viet=Tavt Takri=Takr Tamil=Taml Tangsa=Tnsa Tangut=Tang "
    "Telugu=Telu Thaana=Thaa Thai=Thai Tibetan=Tibt Tifinagh=Tfng Tirhuta=Tirh Toto=Toto "
    "Ugaritic=Ugar Unknown=Zzzz Vai=Vaii Vithkuqi=Vith Wancho=Wcho Warang_Citi=Wara Yezidi=Yezi "
    "Yi=Yiii Zanabazar_Square=Zanb";

// Returns RE2's name for a value in `table`, which has the form of the tables above. Returns an
// empty view if the table does not contain the value.
std::string_view find_value(std::string_view table, std::string_view value) {
    while (!table.empty()) {
        auto const entry = table.substr(0, table.find(' '));
        auto const equals = entry.find('=');
        auto const name = entry.substr(0, equals);
        if (name == value || entry.substr(equals + 1) == value) return name;
        table.remove_prefix(std::min(entry.size() + 1, table.size()));
    }
    return {};
}

// Unicode's Other_Alphabetic and Other_Lowercase: the code points that Alphabetic and Lowercase
// contain in addition to the general categories.
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
constexpr std::string_view default_ignorable =
    "AD 34F 61C 115F-1160 17B4-17B5 180B-180F 200B-200F 202A-202E 2060-206F 3164 FE00-FE0F FEFF "
    "FFA0 FFF0-FFF8 1BCA0-1BCA3 1D173-1D17A E0000-E0FFF";
constexpr std::string_view unified_ideographs =
    "3400-4DBF 4E00-9FFF FA0E-FA0F FA11 FA13-FA14 FA1F FA21 FA23-FA24 FA27-FA29 20000-2A6DF "
    "2A700-2B739 2B740-2B81D 2B820-2CEA1 2CEB0-2EBE0 30000-3134A 31350-323AF";
constexpr std::string_view other_uppercase =
    "2160-216F 24B6-24CF 1F130-1F149 1F150-1F169 1F170-1F189";

// A binary property as a union of groups and ranges. If both are empty, the property cannot be
// expressed in RE2.
struct BinaryProperty {
    std::string_view name;
    std::string_view alias;
    std::string_view groups = {};
    std::string_view ranges = {};
    std::string_view more_ranges = {};
};
constexpr std::string_view assigned = R"(\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z}\p{C})";
constexpr std::string_view cased_letters = R"(\p{Lu}\p{Ll}\p{Lt})";
constexpr BinaryProperty binary_properties[] = {
    {"ASCII", "ASCII", {}, "0-7F"},
    {"ASCII_Hex_Digit", "AHex", {}, "30-39 41-46 61-66"},
    {"Alphabetic", "Alpha", R"(\p{L}\p{Nl})", other_alphabetic},
    {"Any", "Any", {}, "0-10FFFF"},
    {"Assigned", "Assigned", assigned},
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
    {"Default_Ignorable_Code_Point", "DI", {}, default_ignorable},
    {"Deprecated", "Dep"},
    {"Diacritic", "Dia"},
    {"Emoji", "Emoji"},
    {"Emoji_Component",
     "EComp",
     {},
     "23 2A 30-39 200D 20E3 FE0F 1F1E6-1F1FF 1F3FB-1F3FF 1F9B0-1F9B3 E0020-E007F"},
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
    {"Unified_Ideograph", "UIdeo", {}, unified_ideographs},
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

Property find_category(std::string_view value) noexcept {
    using enum Property::Status;
    auto const name = find_value(categories, value);
    // In RE2, the general category \p{C} does not include unassigned code points, and the
    // categories \p{Cn} and \p{LC} do not exist. So these three are built from other categories.
    if (name == "C") {
        return {.status = known, .groups = R"(\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z})", .complement = true};
    }
    if (name == "Cn") return {.status = known, .groups = assigned, .complement = true};
    if (name == "LC") return {.status = known, .groups = cased_letters};
    return {.status = name.empty() ? unknown : known, .group = name};
}

Property find_script(std::string_view value) noexcept {
    using enum Property::Status;
    auto const name = find_value(scripts, value);
    return {.status = name.empty() ? unknown : known, .group = name};
}

Property find_binary(std::string_view name) noexcept {
    using enum Property::Status;
    auto const property = std::ranges::find_if(binary_properties, [&](BinaryProperty const& p) {
        return p.name == name || p.alias == name;
    });
    if (property == std::end(binary_properties)) return {};
    bool const expressible = !property->groups.empty() || !property->ranges.empty();
    return {.status = expressible ? known : unsupported,
            .groups = property->groups,
            .ranges = property->ranges,
            .more_ranges = property->more_ranges};
}

}  // namespace

CodePointSet CodePointSet::of_ranges(std::string_view ranges) {
    CodePointSet set;
    std::uint32_t next = 0;  // the first code point after the ranges processed so far
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

CodePointSet Property::set() const {
    CodePointSet set;
    if (!group.empty()) {
        std::string const braced = "{" + std::string(group) + "}";
        set = {"\\p" + braced, "\\P" + braced};
    } else if (groups.empty()) {
        set = CodePointSet::of_ranges(ranges);
    } else {
        set.body = std::string(groups) + CodePointSet::of_ranges(ranges).body +
                   CodePointSet::of_ranges(more_ranges).body;
    }
    if (complement) set.negate();
    return set;
}

Property find_property(std::string_view expression) noexcept {
    using enum Property::Status;
    auto const equals = expression.find('=');
    if (equals == std::string_view::npos) {
        auto const category = find_category(expression);
        return category.status == unknown ? find_binary(expression) : category;
    }
    auto const name = expression.substr(0, equals);
    auto const value = expression.substr(equals + 1);
    if (name == "General_Category" || name == "gc") return find_category(value);
    if (name == "Script" || name == "sc") return find_script(value);
    if (name == "Script_Extensions" || name == "scx") {
        return {.status = find_script(value).status == known ? unsupported : unknown};
    }
    return {};
}

}  // namespace lanyard::schema
