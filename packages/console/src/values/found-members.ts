/** The members that a search finds, or else those with similar names. */
import { type DataOf, useRead } from "../api/index.ts";
import { failureText, isolated } from "../texts/index.ts";

type Member = Pick<DataOf<"/op/members/list">, "contact_id" | "first_name" | "last_name" | "phone_number">;

export const memberChoice = ({ contact_id, first_name, last_name, phone_number }: Member) => ({
  value: String(contact_id),
  label: `${isolated(`${first_name} ${last_name}`)}, ${phone_number}`,
});

/**
 * @param place the business, where the page has none
 * @returns them, whether the service has not responded yet, and why it can't
 */
export function useFoundMembers(search: string, place: { business_id?: number } = {}, enabled = true) {
  const asked = { ...place, per_page: 8, ...(search !== "" && { search }) };
  const exact = useRead("/op/members/list", asked, { keepPrevious: true, enabled });
  const isMisspelt = search !== "" && exact.data?.data.length === 0;
  const similar = useRead("/op/members/list", { ...asked, similar: true }, { enabled: isMisspelt });
  const { data, error } = isMisspelt ? similar : exact;
  const members = ((enabled && data?.data) || []).map(memberChoice);
  return { members, isLoading: !error && !(enabled && data), failure: error && failureText(error) };
}
