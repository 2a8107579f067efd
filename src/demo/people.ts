/**
 * The members of the demo business. None of them exists: the phone numbers are from the ranges that the
 * national authorities keep free for fiction, the e-mail addresses are under the domains of RFC 2606.
 */
import { fold } from "../domain/text.ts";
import type { Random } from "./random.ts";

export interface Person {
  readonly first_name: string;
  readonly last_name: string;
  readonly phone_number: string;
  readonly email: string | null;
  readonly date_of_birth: string | null;
}

type Country = "DE" | "FR" | "GB" | "IE" | "SE" | "US";

const phoneNumber: Record<Country, (index: number) => string> = {
  DE: (index) => `+4917139200${digits(index, 2)}`,
  FR: (index) => `+3363998${digits(index, 4)}`,
  GB: (index) => `+447700900${digits(index, 3)}`,
  IE: (index) => `+3532091${digits(index, 5)}`,
  SE: (index) => `+467017406${digits(index + 5, 2)}`,
  US: (index) => `+120255501${digits(index, 2)}`,
};

const digits = (number: number, count: number) => String(number).padStart(count, "0");

const names: readonly (readonly [first: string, last: string, country: Country])[] = [
  ["Aoife", "Byrne", "IE"],
  ["Tomás", "Ó Briain", "IE"],
  ["Siobhán", "Kavanagh", "IE"],
  ["Ciarán", "Doyle", "IE"],
  ["Niamh", "O'Sullivan", "IE"],
  ["Amara", "Okafor", "IE"],
  ["Chidi", "Nwosu", "GB"],
  ["Wanjiru", "Kamau", "GB"],
  ["Kwame", "Mensah", "GB"],
  ["Thandiwe", "Dlamini", "GB"],
  ["Selam", "Tesfaye", "IE"],
  ["Fatou", "Diallo", "FR"],
  ["Youssef", "Benali", "FR"],
  ["Camille", "Lefèvre", "FR"],
  ["Zoé", "Marchand", "FR"],
  ["Lucía", "Fernández", "IE"],
  ["Mateo", "García Ríos", "IE"],
  ["Inês", "Carvalho", "IE"],
  ["João", "Pereira", "IE"],
  ["Giulia", "Moretti", "IE"],
  ["Alessandro", "Conti", "IE"],
  ["Jürgen", "Weiß", "DE"],
  ["Annika", "Schröder", "DE"],
  ["Elif", "Yılmaz", "DE"],
  ["Emre", "Şahin", "DE"],
  ["Astrid", "Lindqvist", "SE"],
  ["Björn", "Åkesson", "SE"],
  ["Ingrid", "Haugen", "SE"],
  ["Mikkel", "Sørensen", "SE"],
  ["Aino", "Virtanen", "SE"],
  ["Zofia", "Wójcik", "IE"],
  ["Paweł", "Kamiński", "IE"],
  ["Tereza", "Dvořáková", "IE"],
  ["Dániel", "Szabó", "IE"],
  ["Ioana", "Popescu", "IE"],
  ["Олена", "Шевченко", "IE"],
  ["Elena", "Papadopoulou", "GB"],
  ["Noa", "Levi", "US"],
  ["Layla", "Haddad", "GB"],
  ["Omar", "al-Khatib", "GB"],
  ["Parisa", "Rahimi", "US"],
  ["Aarav", "Sharma", "IE"],
  ["Priya", "Raghunathan", "IE"],
  ["Harpreet", "Kaur", "GB"],
  ["Nadia", "Rahman", "GB"],
  ["Dilini", "Perera", "GB"],
  ["Nguyễn", "Thị Mai", "FR"],
  ["Somchai", "Rattanakul", "GB"],
  ["Siti", "Nurhaliza Putri", "GB"],
  ["Maria Luz", "Santos", "IE"],
  ["Wei", "Zhang", "IE"],
  ["Mei-Ling", "Chen", "US"],
  ["陽菜", "佐藤", "IE"],
  ["Haruto", "Tanaka", "US"],
  ["Ji-woo", "Park", "US"],
  ["Leilani", "Kahale", "US"],
  ["Mary", "Begay", "US"],
  ["DeShawn", "Washington", "US"],
  ["Aroha", "Ngata", "GB"],
  ["Valentina", "Quispe", "US"],
];

/** Everyone, in an order that is mixed by chance. */
export function makePeople(random: Random): Person[] {
  const people = names.map(([first_name, last_name, country], index) => ({
    first_name,
    last_name,
    phone_number: phoneNumber[country](index),
    email: random.once(8) ? null : emailOf(first_name, last_name, random),
    date_of_birth: random.once(6) ? null : birthday(random),
  }));
  for (let index = people.length - 1; index > 0; index--) {
    const other = random.between(0, index);
    [people[index], people[other]] = [people[other] as Person, people[index] as Person];
  }
  return people;
}

/** Of names without ASCII letters nothing would be left: those people have a number for an address. */
function emailOf(first: string, last: string, random: Random): string {
  const ascii = (text: string) =>
    fold(text.replaceAll("ß", "ss").replaceAll("ı", "i")).replace(/[^a-z]/g, "");
  const local = [ascii(first), ascii(last)].filter((part) => part !== "").join(".");
  const domain = random.pick(["example.com", "example.org", "example.net"]);
  return `${local === "" ? `guest${random.between(100, 999)}` : local}@${domain}`;
}

function birthday(random: Random): string {
  const [year, month, day] = [random.between(1948, 2005), random.between(1, 12), random.between(1, 28)];
  return `${year}-${digits(month, 2)}-${digits(day, 2)}`;
}
