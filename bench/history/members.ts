/** Members as lines of COPY's text format. */
import { accounts } from "../../src/domain/ledger.ts";
import { searchTextOf } from "../../src/domain/text.ts";
import type { HistoryPlan } from "./entries.ts";

const firstNames = (
  "Ana María Carmen Lucía Sofía Elena Laura Marta Paula Irene Julia Nuria Rosa Inés Clara Antonio José Manuel " +
  "David Javier Carlos Miguel Pablo Álvaro Sergio Jorge Luis Alberto Diego Rubén Iván Óscar Emma Noah Liam Mia " +
  "Hannah Jonas Lena Felix Chloé Léa Hugo Zoë Giulia Marco Olivia Jack Amelia Harry"
).split(" ");
const lastNames = (
  "García Fernández González Rodríguez López Martínez Sánchez Pérez Gómez Martín Jiménez Hernández Ruiz Díaz " +
  "Moreno Muñoz Álvarez Romero Alonso Gutiérrez Navarro Torres Domínguez Vázquez Ramos Gil Ramírez Serrano " +
  "Blanco Molina Morales Suárez Ortega Delgado Castro Ortiz Rubio Marín Sanz Núñez Iglesias Medina Garrido " +
  "Cortés Castillo Santos Lozano Guerrero Cano Prieto Müller Schmidt Dubois Rossi Smith Jones Taylor Brown"
).split(" ");
const inactiveShare = 0.03;
const withEmail = 0.8;

export const memberColumns =
  "business_id, contact_id, member_id, first_name, last_name, phone_number, email, active, searchable_text, joined_at";

/** A line for each member, the oldest first. */
export function* memberLines(plan: HistoryPlan, random: () => number): Generator<string> {
  const { businessId, firstContactId, firstMemberId, members, startsAt, endsAt } = plan;
  const one = (of: readonly string[]) => of[Math.floor(random() * of.length)] as string;
  const inactive = inactiveMembers(members);
  for (let index = 0; index < members; index++) {
    const first_name = one(firstNames);
    const last_name = `${one(lastNames)} ${one(lastNames)}`;
    const phone_number = `+34${600_000_000 + index}`;
    const email = random() < withEmail ? `member.${index}@example.com` : null;
    const searchText = searchTextOf({ first_name, last_name, phone_number, email }).replaceAll("\n", "\\n");
    const joinedAt = new Date(startsAt + ((endsAt - startsAt) * index) / members).toISOString();
    yield `${businessId}\t${firstContactId + index}\t${firstMemberId + index}\t${first_name}\t${last_name}\t` +
      `${phone_number}\t${email ?? "\\N"}\t${index >= inactive}\t${searchText}\t${joinedAt}\n`;
  }
}

/** How many members are inactive: those who joined first. */
export function inactiveMembers(members: number): number {
  return Math.floor(members * inactiveShare);
}

export const accountColumns = "business_id, contact_id, account, active, balance";

/** A line for each of the four accounts of every member. */
export function* accountLines(plan: HistoryPlan, balances: readonly Float64Array[]): Generator<string> {
  const { businessId, firstContactId, members } = plan;
  const inactive = inactiveMembers(members);
  for (let index = 0; index < members; index++) {
    for (const [number, account] of accounts.entries()) {
      yield `${businessId}\t${firstContactId + index}\t${account}\t${index >= inactive}\t${balances[number]?.[index]}\n`;
    }
  }
}
