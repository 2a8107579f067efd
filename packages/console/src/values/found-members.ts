/** The members that a search finds, or else those with similar names. */
import { type DataOf, useRead } from "../api/index.ts";
import { isolated } from "../texts/isolated.ts";

type Member = Pick<DataOf<"/op/members/list">, "contact_id" | "first_name" | "last_name" | "phone_number">;

export const memberChoice = ({ contact_id, first_name, last_name, phone_number }: Member) => ({
  value: String(contact_id),
  label: `${isolated(`${first_name} ${last_name}`)}, ${phone_number}`,
});

/** @param place the business, where the page has none */
export function useFoundMembers(search: string, place: { business_id?: number } = {}, enabled = true) {
  const asked = { ...place, per_page: 8, ...(search !== "" && { search }) };
  const found = useRead("/op/members/list", asked, { keepPrevious: true, enabled }).data;
  const isMisspelt = search !== "" && found?.data.length === 0;
  const similar = useRead("/op/members/list", { ...asked, similar: true }, { enabled: isMisspelt }).data;
  return ((enabled && (isMisspelt ? similar : found)?.data) || []).map(memberChoice);
}
