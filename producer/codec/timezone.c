/*
 * Time zones by name: whether there is one, and which date it is there. From a table that comes
 * with the program, so that all that decide by it decide the same, whatever is installed beside
 * them. PURE.
 */
#include "producer/codec/timezone.h"

#include <assert.h>
#include <string.h>

#include "producer/base/calendar.h"

/*
 * ==== Rules ====
 *
 * The table of time zones.
 */

const char timezone_release[] = "2026f";

/* When clocks change: at so many minutes of a weekday (0: Sunday) of a month's week (5: last). */
struct timezone_change {
    int8_t month, week, weekday; /* month 0: they do not */
    int16_t minute;              /* of the day by the clock until then; may be on another day */
};

struct timezone_rule {
    int32_t from;             /* minutes since 1970; a zone has the latest of its rules */
    int16_t standard, summer; /* minutes ahead of UTC */
    struct timezone_change begins, ends; /* of summer time */
    const char *names;                   /* with a space between them */
};

static const struct timezone_rule timezone_rules[] = {
    {0,
     0,
     0,
     {0},
     {0},
     "Africa/Abidjan Africa/Accra Africa/Bamako Africa/Banjul Africa/Bissau Africa/Conakry "
     "Africa/Dakar Africa/Freetown Africa/Lome Africa/Monrovia Africa/Nouakchott "
     "Africa/Ouagadougou Africa/Sao_Tome Africa/Timbuktu America/Danmarkshavn Atlantic/Reykjavik "
     "Atlantic/St_Helena Etc/GMT Etc/GMT+0 Etc/GMT-0 Etc/GMT0 Etc/Greenwich GMT GMT+0 GMT-0 GMT0 "
     "Greenwich Iceland"},
    {0,
     180,
     180,
     {0},
     {0},
     "Africa/Addis_Ababa Africa/Asmara Africa/Asmera Africa/Dar_es_Salaam Africa/Djibouti "
     "Africa/Kampala Africa/Mogadishu Africa/Nairobi Indian/Antananarivo Indian/Comoro "
     "Indian/Mayotte"},
    {0, 60, 60, {0}, {0}, "Africa/Algiers Africa/Tunis"},
    {0,
     60,
     60,
     {0},
     {0},
     "Africa/Bangui Africa/Brazzaville Africa/Douala Africa/Kinshasa Africa/Lagos "
     "Africa/Libreville Africa/Luanda Africa/Malabo Africa/Ndjamena Africa/Niamey "
     "Africa/Porto-Novo"},
    {0,
     120,
     120,
     {0},
     {0},
     "Africa/Blantyre Africa/Bujumbura Africa/Gaborone Africa/Harare Africa/Juba Africa/Khartoum "
     "Africa/Kigali Africa/Lubumbashi Africa/Lusaka Africa/Maputo Africa/Windhoek"},
    {0, 120, 180, {4, 5, 5, 0}, {10, 5, 4, 1440}, "Africa/Cairo Egypt"},
    {0, 60, 60, {0}, {0}, "Africa/Casablanca Africa/El_Aaiun Etc/GMT-1"},
    {0,
     60,
     120,
     {3, 5, 0, 120},
     {10, 5, 0, 180},
     "Africa/Ceuta Arctic/Longyearbyen Atlantic/Jan_Mayen CET Europe/Amsterdam Europe/Andorra "
     "Europe/Belgrade Europe/Berlin Europe/Bratislava Europe/Brussels Europe/Budapest "
     "Europe/Busingen Europe/Copenhagen Europe/Gibraltar Europe/Ljubljana Europe/Luxembourg "
     "Europe/Madrid Europe/Malta Europe/Monaco Europe/Oslo Europe/Paris Europe/Podgorica "
     "Europe/Prague Europe/Rome Europe/San_Marino Europe/Sarajevo Europe/Skopje Europe/Stockholm "
     "Europe/Tirane Europe/Vaduz Europe/Vatican Europe/Vienna Europe/Warsaw Europe/Zagreb "
     "Europe/Zurich MET Poland"},
    {0, 120, 120, {0}, {0}, "Africa/Johannesburg Africa/Maseru Africa/Mbabane"},
    {0, 120, 120, {0}, {0}, "Africa/Tripoli Europe/Kaliningrad Libya"},
    {0, -600, -540, {3, 2, 0, 120}, {11, 1, 0, 120}, "America/Adak America/Atka US/Aleutian"},
    {0,
     -540,
     -480,
     {3, 2, 0, 120},
     {11, 1, 0, 120},
     "America/Anchorage America/Juneau America/Metlakatla America/Nome America/Sitka "
     "America/Yakutat US/Alaska"},
    {0,
     -240,
     -240,
     {0},
     {0},
     "America/Anguilla America/Antigua America/Aruba America/Barbados America/Blanc-Sablon "
     "America/Curacao America/Dominica America/Grenada America/Guadeloupe America/Kralendijk "
     "America/Lower_Princes America/Marigot America/Martinique America/Montserrat "
     "America/Port_of_Spain America/Puerto_Rico America/Santo_Domingo America/St_Barthelemy "
     "America/St_Kitts America/St_Lucia America/St_Thomas America/St_Vincent America/Tortola "
     "America/Virgin"},
    {0,
     -180,
     -180,
     {0},
     {0},
     "America/Araguaina America/Argentina/Buenos_Aires America/Argentina/Catamarca "
     "America/Argentina/ComodRivadavia America/Argentina/Cordoba America/Argentina/Jujuy "
     "America/Argentina/La_Rioja America/Argentina/Mendoza America/Argentina/Rio_Gallegos "
     "America/Argentina/Salta America/Argentina/San_Juan America/Argentina/San_Luis "
     "America/Argentina/Tucuman America/Argentina/Ushuaia America/Asuncion America/Bahia "
     "America/Belem America/Buenos_Aires America/Catamarca America/Cayenne America/Cordoba "
     "America/Coyhaique America/Fortaleza America/Jujuy America/Maceio America/Mendoza "
     "America/Montevideo America/Paramaribo America/Punta_Arenas America/Recife America/Rosario "
     "America/Santarem America/Sao_Paulo Antarctica/Palmer Antarctica/Rothera Atlantic/Stanley "
     "Brazil/East Etc/GMT+3"},
    {0,
     -300,
     -300,
     {0},
     {0},
     "America/Atikokan America/Cancun America/Cayman America/Coral_Harbour America/Jamaica "
     "America/Panama EST Jamaica"},
    {0,
     -360,
     -360,
     {0},
     {0},
     "America/Bahia_Banderas America/Belize America/Chihuahua America/Costa_Rica "
     "America/El_Salvador America/Guatemala America/Managua America/Merida America/Mexico_City "
     "America/Monterrey America/Regina America/Swift_Current America/Tegucigalpa "
     "Canada/Saskatchewan Mexico/General"},
    {0,
     -240,
     -240,
     {0},
     {0},
     "America/Boa_Vista America/Campo_Grande America/Caracas America/Cuiaba America/Guyana "
     "America/La_Paz America/Manaus America/Porto_Velho Brazil/West Etc/GMT+4"},
    {0,
     -300,
     -300,
     {0},
     {0},
     "America/Bogota America/Eirunepe America/Guayaquil America/Havana America/Lima "
     "America/Porto_Acre America/Rio_Branco Brazil/Acre Cuba Etc/GMT+5"},
    {0,
     -420,
     -360,
     {3, 2, 0, 120},
     {11, 1, 0, 120},
     "America/Boise America/Cambridge_Bay America/Ciudad_Juarez America/Denver America/Shiprock "
     "MST7MDT Navajo US/Mountain"},
    {0,
     -360,
     -300,
     {3, 2, 0, 120},
     {11, 1, 0, 120},
     "America/Chicago America/Indiana/Knox America/Indiana/Tell_City America/Knox_IN "
     "America/Matamoros America/Menominee America/North_Dakota/Beulah America/North_Dakota/Center "
     "America/North_Dakota/New_Salem America/Ojinaga America/Rankin_Inlet America/Resolute CST6CDT "
     "US/Central US/Indiana-Starke"},
    {0,
     -420,
     -420,
     {0},
     {0},
     "America/Creston America/Dawson America/Dawson_Creek America/Fort_Nelson America/Hermosillo "
     "America/Mazatlan America/Phoenix America/Whitehorse Canada/Yukon MST Mexico/BajaSur "
     "US/Arizona"},
    {0,
     -300,
     -240,
     {3, 2, 0, 120},
     {11, 1, 0, 120},
     "America/Detroit America/Fort_Wayne America/Grand_Turk America/Indiana/Indianapolis "
     "America/Indiana/Marengo America/Indiana/Petersburg America/Indiana/Vevay "
     "America/Indiana/Vincennes America/Indiana/Winamac America/Indianapolis America/Iqaluit "
     "America/Kentucky/Louisville America/Kentucky/Monticello America/Louisville America/Montreal "
     "America/Nassau America/New_York America/Nipigon America/Pangnirtung America/Port-au-Prince "
     "America/Thunder_Bay America/Toronto Canada/Eastern EST5EDT US/East-Indiana US/Eastern "
     "US/Michigan"},
    {0,
     -420,
     -420,
     {0},
     {0},
     "America/Edmonton America/Inuvik America/Yellowknife Canada/Mountain Etc/GMT+7"},
    {0,
     -480,
     -420,
     {3, 2, 0, 120},
     {11, 1, 0, 120},
     "America/Ensenada America/Los_Angeles America/Santa_Isabel America/Tijuana Mexico/BajaNorte "
     "PST8PDT US/Pacific"},
    {0,
     -240,
     -180,
     {3, 2, 0, 120},
     {11, 1, 0, 120},
     "America/Glace_Bay America/Goose_Bay America/Halifax America/Moncton America/Thule "
     "Atlantic/Bermuda Canada/Atlantic"},
    {0,
     -120,
     -60,
     {3, 5, 0, -60},
     {10, 5, 0, 0},
     "America/Godthab America/Nuuk America/Scoresbysund"},
    {0, -180, -120, {3, 2, 0, 120}, {11, 1, 0, 120}, "America/Miquelon"},
    {0, -120, -120, {0}, {0}, "America/Noronha Atlantic/South_Georgia Brazil/DeNoronha Etc/GMT+2"},
    {0,
     -360,
     -360,
     {0},
     {0},
     "America/Rainy_River America/Winnipeg Canada/Central Etc/GMT+6 Pacific/Galapagos"},
    {0, -240, -180, {9, 1, 6, 1440}, {4, 1, 6, 1440}, "America/Santiago Chile/Continental"},
    {0, -210, -150, {3, 2, 0, 120}, {11, 1, 0, 120}, "America/St_Johns Canada/Newfoundland"},
    {0, -480, -480, {0}, {0}, "America/Vancouver Canada/Pacific Etc/GMT+8 Pacific/Pitcairn"},
    {0,
     480,
     480,
     {0},
     {0},
     "Antarctica/Casey Asia/Brunei Asia/Choibalsan Asia/Irkutsk Asia/Kuala_Lumpur Asia/Kuching "
     "Asia/Singapore Asia/Ulaanbaatar Asia/Ulan_Bator Etc/GMT-8 Singapore"},
    {0,
     420,
     420,
     {0},
     {0},
     "Antarctica/Davis Asia/Bangkok Asia/Barnaul Asia/Ho_Chi_Minh Asia/Hovd Asia/Krasnoyarsk "
     "Asia/Novokuznetsk Asia/Novosibirsk Asia/Phnom_Penh Asia/Saigon Asia/Tomsk Asia/Vientiane "
     "Etc/GMT-7 Indian/Christmas"},
    {0,
     600,
     600,
     {0},
     {0},
     "Antarctica/DumontDUrville Asia/Ust-Nera Asia/Vladivostok Etc/GMT-10 Pacific/Chuuk "
     "Pacific/Port_Moresby Pacific/Truk Pacific/Yap"},
    {0,
     600,
     660,
     {10, 1, 0, 120},
     {4, 1, 0, 180},
     "Antarctica/Macquarie Australia/ACT Australia/Canberra Australia/Currie Australia/Hobart "
     "Australia/Melbourne Australia/NSW Australia/Sydney Australia/Tasmania Australia/Victoria"},
    {0,
     300,
     300,
     {0},
     {0},
     "Antarctica/Mawson Antarctica/Vostok Asia/Almaty Asia/Aqtau Asia/Aqtobe Asia/Ashgabat "
     "Asia/Ashkhabad Asia/Atyrau Asia/Dushanbe Asia/Oral Asia/Qostanay Asia/Qyzylorda "
     "Asia/Samarkand Asia/Tashkent Asia/Yekaterinburg Etc/GMT-5 Indian/Kerguelen Indian/Maldives"},
    {0,
     720,
     780,
     {9, 5, 0, 120},
     {4, 1, 0, 180},
     "Antarctica/McMurdo Antarctica/South_Pole NZ Pacific/Auckland"},
    {0,
     180,
     180,
     {0},
     {0},
     "Antarctica/Syowa Asia/Aden Asia/Amman Asia/Baghdad Asia/Bahrain Asia/Damascus Asia/Istanbul "
     "Asia/Kuwait Asia/Qatar Asia/Riyadh Etc/GMT-3 Europe/Istanbul Europe/Minsk Turkey"},
    {0, 0, 120, {3, 5, 0, 60}, {10, 5, 0, 180}, "Antarctica/Troll"},
    {0,
     720,
     720,
     {0},
     {0},
     "Asia/Anadyr Asia/Kamchatka Etc/GMT-12 Kwajalein Pacific/Fiji Pacific/Funafuti "
     "Pacific/Kwajalein Pacific/Majuro Pacific/Nauru Pacific/Tarawa Pacific/Wake Pacific/Wallis"},
    {0,
     240,
     240,
     {0},
     {0},
     "Asia/Baku Asia/Dubai Asia/Muscat Asia/Tbilisi Asia/Yerevan Etc/GMT-4 Europe/Astrakhan "
     "Europe/Samara Europe/Saratov Europe/Ulyanovsk Indian/Mahe Indian/Mauritius Indian/Reunion"},
    {0, 120, 180, {3, 5, 0, 0}, {10, 5, 0, 0}, "Asia/Beirut"},
    {0,
     360,
     360,
     {0},
     {0},
     "Asia/Bishkek Asia/Dacca Asia/Dhaka Asia/Kashgar Asia/Omsk Asia/Thimbu Asia/Thimphu "
     "Asia/Urumqi Etc/GMT-6 Indian/Chagos"},
    {0, 330, 330, {0}, {0}, "Asia/Calcutta Asia/Kolkata"},
    {0,
     540,
     540,
     {0},
     {0},
     "Asia/Chita Asia/Dili Asia/Khandyga Asia/Yakutsk Etc/GMT-9 Pacific/Palau"},
    {0,
     480,
     480,
     {0},
     {0},
     "Asia/Chongqing Asia/Chungking Asia/Harbin Asia/Macao Asia/Macau Asia/Shanghai Asia/Taipei "
     "PRC ROC"},
    {0, 330, 330, {0}, {0}, "Asia/Colombo"},
    {0,
     120,
     180,
     {3, 5, 0, 180},
     {10, 5, 0, 240},
     "Asia/Famagusta Asia/Nicosia EET Europe/Athens Europe/Bucharest Europe/Chisinau "
     "Europe/Helsinki Europe/Kiev Europe/Kyiv Europe/Mariehamn Europe/Nicosia Europe/Riga "
     "Europe/Sofia Europe/Tallinn Europe/Tiraspol Europe/Uzhgorod Europe/Vilnius "
     "Europe/Zaporozhye"},
    {0, 120, 180, {3, 4, 4, 3000}, {10, 4, 4, 3000}, "Asia/Gaza Asia/Hebron"},
    {0, 480, 480, {0}, {0}, "Asia/Hong_Kong Hongkong"},
    {0, 420, 420, {0}, {0}, "Asia/Jakarta Asia/Pontianak"},
    {0, 540, 540, {0}, {0}, "Asia/Jayapura"},
    {0, 120, 180, {3, 4, 4, 1560}, {10, 5, 0, 120}, "Asia/Jerusalem Asia/Tel_Aviv Israel"},
    {0, 270, 270, {0}, {0}, "Asia/Kabul"},
    {0, 300, 300, {0}, {0}, "Asia/Karachi"},
    {0, 345, 345, {0}, {0}, "Asia/Kathmandu Asia/Katmandu"},
    {0,
     660,
     660,
     {0},
     {0},
     "Asia/Magadan Asia/Sakhalin Asia/Srednekolymsk Etc/GMT-11 Pacific/Bougainville Pacific/Efate "
     "Pacific/Guadalcanal Pacific/Kosrae Pacific/Noumea Pacific/Pohnpei Pacific/Ponape"},
    {0, 480, 480, {0}, {0}, "Asia/Makassar Asia/Ujung_Pandang"},
    {0, 480, 480, {0}, {0}, "Asia/Manila"},
    {0, 540, 540, {0}, {0}, "Asia/Pyongyang Asia/Seoul ROK"},
    {0, 390, 390, {0}, {0}, "Asia/Rangoon Asia/Yangon Indian/Cocos"},
    {0, 210, 210, {0}, {0}, "Asia/Tehran Iran"},
    {0, 540, 540, {0}, {0}, "Asia/Tokyo Japan"},
    {0, -60, 0, {3, 5, 0, 0}, {10, 5, 0, 60}, "Atlantic/Azores"},
    {0,
     0,
     60,
     {3, 5, 0, 60},
     {10, 5, 0, 120},
     "Atlantic/Canary Atlantic/Faeroe Atlantic/Faroe Atlantic/Madeira Europe/Lisbon Portugal WET"},
    {0, -60, -60, {0}, {0}, "Atlantic/Cape_Verde Etc/GMT+1"},
    {0,
     570,
     630,
     {10, 1, 0, 120},
     {4, 1, 0, 180},
     "Australia/Adelaide Australia/Broken_Hill Australia/South Australia/Yancowinna"},
    {0, 600, 600, {0}, {0}, "Australia/Brisbane Australia/Lindeman Australia/Queensland"},
    {0, 570, 570, {0}, {0}, "Australia/Darwin Australia/North"},
    {0, 525, 525, {0}, {0}, "Australia/Eucla"},
    {0, 630, 660, {10, 1, 0, 120}, {4, 1, 0, 120}, "Australia/LHI Australia/Lord_Howe"},
    {0, 480, 480, {0}, {0}, "Australia/Perth Australia/West"},
    {0, -360, -300, {9, 1, 6, 1320}, {4, 1, 6, 1320}, "Chile/EasterIsland Pacific/Easter"},
    {0, 60, 0, {10, 5, 0, 120}, {3, 5, 0, 60}, "Eire Europe/Dublin"},
    {0, -600, -600, {0}, {0}, "Etc/GMT+10 Pacific/Rarotonga Pacific/Tahiti"},
    {0, -660, -660, {0}, {0}, "Etc/GMT+11 Pacific/Niue"},
    {0, -720, -720, {0}, {0}, "Etc/GMT+12"},
    {0, -540, -540, {0}, {0}, "Etc/GMT+9 Pacific/Gambier"},
    {0,
     780,
     780,
     {0},
     {0},
     "Etc/GMT-13 Pacific/Apia Pacific/Enderbury Pacific/Fakaofo Pacific/Kanton Pacific/Tongatapu"},
    {0, 840, 840, {0}, {0}, "Etc/GMT-14 Pacific/Kiritimati"},
    {0, 120, 120, {0}, {0}, "Etc/GMT-2"},
    {0, 0, 0, {0}, {0}, "Etc/UCT Etc/UTC Etc/Universal Etc/Zulu UCT UTC Universal Zulu"},
    {0,
     0,
     60,
     {3, 5, 0, 60},
     {10, 5, 0, 120},
     "Europe/Belfast Europe/Guernsey Europe/Isle_of_Man Europe/Jersey Europe/London GB GB-Eire"},
    {0, 180, 180, {0}, {0}, "Europe/Kirov Europe/Moscow Europe/Simferopol Europe/Volgograd W-SU"},
    {0, -600, -600, {0}, {0}, "HST Pacific/Honolulu Pacific/Johnston US/Hawaii"},
    {0, 765, 825, {9, 5, 0, 165}, {4, 1, 0, 225}, "NZ-CHAT Pacific/Chatham"},
    {0, 600, 600, {0}, {0}, "Pacific/Guam Pacific/Saipan"},
    {0, -570, -570, {0}, {0}, "Pacific/Marquesas"},
    {0, -660, -660, {0}, {0}, "Pacific/Midway Pacific/Pago_Pago Pacific/Samoa US/Samoa"},
    {0, 660, 720, {10, 1, 0, 120}, {4, 1, 0, 180}, "Pacific/Norfolk"},
    {29518680, 0, 0, {0}, {0}, "Africa/Casablanca Africa/El_Aaiun"},
    {29549100, -240, -240, {0}, {0}, "America/Havana Cuba"},
    {29549280, -300, -300, {0}, {0}, "America/Rainy_River America/Winnipeg Canada/Central"},
    {29549340,
     -360,
     -360,
     {0},
     {0},
     "America/Edmonton America/Inuvik America/Yellowknife Canada/Mountain"},
    {29549400, -420, -420, {0}, {0}, "America/Vancouver Canada/Pacific"},
    {29569080, 60, 60, {0}, {0}, "Africa/Casablanca Africa/El_Aaiun"},
    {29831100, 0, 0, {0}, {0}, "Africa/Casablanca Africa/El_Aaiun"},
    {30426060, -300, -240, {3, 2, 0, 0}, {11, 1, 0, 60}, "America/Havana Cuba"},
};

static const uint32_t timezone_rule_count = sizeof timezone_rules / sizeof *timezone_rules;

/* ==== Time zones ==== */

enum {
    MINUTES_A_DAY = 1440,
    MS_A_MINUTE = 60000,
    WEEKDAY_1970 = 4,   /* the first day of 1970 was a Thursday */
    LAST_OF_ALL = -720, /* minutes: where a day begins last */
    BEFORE_ALL = 900    /* more than where it begins first */
};

static bool has_name(const char *names, const char *name)
{
    size_t size = strlen(name);
    for (const char *at = strstr(names, name); at; at = strstr(at + 1, name))
        if ((at == names || at[-1] == ' ') && (at[size] == ' ' || at[size] == '\0'))
            return true;
    return false;
}

/* Returns the rule of a zone at a minute since 1970; rules are in the order of `from`. */
static const struct timezone_rule *find_rule(const char *name, int64_t minute)
{
    const struct timezone_rule *found = NULL;
    for (uint32_t i = 0; name && i < timezone_rule_count; i++) {
        const struct timezone_rule *rule = &timezone_rules[i];
        if ((rule->from <= minute || !found) && has_name(rule->names, name))
            found = rule;
    }
    return found;
}

/* Days and minutes before 1970 are below 0: division must not round towards 0. */
static int64_t floor_divide(int64_t number, int64_t by)
{
    return number / by - (number % by < 0);
}

/* Returns the minute since 1970 at which clocks change in a year, as the clock shows it. */
static int64_t minute_of(const struct timezone_change *change, int32_t year)
{
    int32_t first = calendar_day(year, change->month, 1);
    int32_t weekday = (first + WEEKDAY_1970) % 7;
    int32_t day = first + (change->weekday - weekday + 7) % 7 + (change->week - 1) * 7;
    while (day >= first + calendar_month_days(year, change->month))
        day -= 7;
    return (int64_t)day * MINUTES_A_DAY + change->minute;
}

/* South of the equator summer lasts over the end of the year. */
static bool is_summer(const struct timezone_rule *rule, int64_t minute)
{
    if (rule->begins.month == 0)
        return false;
    int64_t day = floor_divide(minute + rule->standard, MINUTES_A_DAY);
    int32_t year = calendar_date((int32_t)day).year;
    int64_t begins = minute_of(&rule->begins, year) - rule->standard;
    int64_t ends = minute_of(&rule->ends, year) - rule->summer;
    return begins < ends ? minute >= begins && minute < ends : minute >= begins || minute < ends;
}

bool timezone_is_known(const char *name)
{
    return name[0] != '\0' && !strchr(name, ' ') && find_rule(name, INT64_MAX);
}

/* Names of later rules come again, and are left out. */
const char *timezone_name(uint32_t index, char name[TIMEZONE_NAME_SIZE])
{
    for (uint32_t i = 0; i < timezone_rule_count && timezone_rules[i].from == 0; i++) {
        const char *at = timezone_rules[i].names;
        for (size_t size; *at != '\0'; at += size + (at[size] == ' ')) {
            size = strcspn(at, " ");
            assert(size < TIMEZONE_NAME_SIZE);
            if (index-- > 0)
                continue;
            memcpy(name, at, size);
            name[size] = '\0';
            return name;
        }
    }
    return NULL;
}

int32_t timezone_date(const char *name, int64_t ms)
{
    int64_t minute = floor_divide(ms, MS_A_MINUTE);
    const struct timezone_rule *rule = find_rule(name, minute);
    int32_t ahead = !rule ? LAST_OF_ALL : is_summer(rule, minute) ? rule->summer : rule->standard;
    return (int32_t)floor_divide(minute + ahead, MINUTES_A_DAY);
}

int64_t timezone_midnight(const char *name, int32_t date)
{
    int64_t before = (int64_t)date * MINUTES_A_DAY - BEFORE_ALL;
    int64_t found = (int64_t)date * MINUTES_A_DAY - LAST_OF_ALL;
    while (found - before > 1) {
        int64_t middle = before + (found - before) / 2;
        if (timezone_date(name, middle * MS_A_MINUTE) < date)
            before = middle;
        else
            found = middle;
    }
    return found * MS_A_MINUTE;
}
