import { printable, wrapText } from "../terminal/terminal.ts";

/** The options of the command for the fields that texts of the service name. */
const options: readonly (readonly [RegExp, string])[] = [
  [/\bamount_unit (?=major|minor)/g, "--amount-unit "],
  [/\bdecimal (?=")/g, "--decimal "],
  [/\bdate_format (?=[DMY])/g, "--date-format "],
  [/\bencoding (?=Windows)/g, "--encoding "],
  [/\bwith country,/g, "with --country,"],
  [/\badd earn\./g, "add --earn."],
  [/\badd join_lines\b/g, "add --join-lines"],
  [/\badd earn_imported\b/g, "add --earn-imported"],
  [/\badd points_valid_through\b/g, "add --points-valid-through DAY"],
  [/\badd reference_per day, location or both\b/g, "add --reference-per day, location or day,location"],
  [
    /\bSay in locations what they mean\b/g,
    "Say what they mean with --location-name NAME=ID (loyalty location list shows them), or --location-name NAME= to leave their lines out",
  ],
  [
    /\bLeave from away, and name the columns in columns\b/g,
    "Leave --from away, and name the columns with --column FIELD=NAME",
  ],
  [/\bthe column in columns\b/g, "the column with --column FIELD=NAME"],
  [/\bsay it in defaults\b/g, "say it with --default FIELD=VALUE"],
  [/\badd defaults of (\w+), such as ([-0])/g, "add --default $1=$2"],
  [
    /\bsay which column has the amounts of lines, as line_amount or line_price\b/g,
    "name the column of the amounts of lines with --column line_amount=NAME or line_price=NAME",
  ],
  [/\bleave (\w+) out in columns\b/g, "leave the column out with --column $1="],
  [/\bby its number in columns\b/g, "by its number with --column FIELD=1"],
  [
    /\bsay no_header, and name columns by their numbers\b/g,
    "add --no-header, and name columns by their numbers (--column amount=3) or name them all (--columns NAME,NAME,…)",
  ],
  [/\bsay it as (other_phone_number|wallet_balance)\b/g, "say it with --column $1=NAME"],
  [/\bTry the delimiter (\S+)\./g, "Try --delimiter $1."],
];

export const inOptions = (text: string) =>
  options.reduce((words, [pattern, option]) => words.replace(pattern, option), text);

/** A text of the service for the terminal. @param prefix comes before its first line */
export const shown = (text: string, width: number | undefined, prefix?: string) =>
  wrapText(printable(inOptions(text)), width, prefix);
