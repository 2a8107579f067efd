/** Chooses a member by name, phone number, e-mail address or number. */
import { Select, type SelectProps } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { type DataOf, useRead } from "../api/index.ts";
import { texts } from "../texts/en.ts";
import type { Choice } from "../values/references.ts";

type Member = Pick<DataOf<"/op/members/list">, "contact_id" | "first_name" | "last_name" | "phone_number">;

const choiceOf = ({ contact_id, first_name, last_name, phone_number }: Member) => ({
  value: String(contact_id),
  label: `${first_name} ${last_name}, ${phone_number}`,
});

export function MemberInput({ value, onChange, ...props }: Omit<SelectProps<string>, "data" | "multiple">) {
  const [search, setSearch] = useState("");
  const [picked, setPicked] = useState<Choice>();
  const [settled] = useDebouncedValue(search.trim().slice(0, 100), 150);
  const asked = { per_page: 8, ...(settled !== "" && { search: settled }) };
  const found = useRead("/op/members/list", asked, { keepPrevious: true }).data;
  const isMisspelt = settled !== "" && found?.data.length === 0;
  const similar = useRead("/op/members/list", { ...asked, similar: true }, { enabled: isMisspelt }).data;
  const listed = ((isMisspelt ? similar : found)?.data ?? []).map(choiceOf);
  const isListed = !value || listed.some((one) => one.value === value);
  // The text of the member that was picked becomes the next search, which need not find it.
  const known = picked?.value === value ? picked : undefined;
  // A member that was chosen before, for example by the address, need not be among those that are found.
  const isUnknown = !isListed && known === undefined;
  const read = useRead("/op/members/get", { contact_id: Number(value) }, { enabled: isUnknown }).data;
  const number = String(value);
  const chosen =
    known ?? (read ? choiceOf(read.data) : { value: number, label: texts.member.number(number) });
  return (
    <Select
      {...{ ...props, value }}
      onChange={(next, option) => {
        setPicked(option ?? undefined);
        onChange?.(next, option);
      }}
      data={isListed ? listed : [...listed, chosen]}
      searchable
      searchValue={search}
      onSearchChange={setSearch}
      // The service has searched already.
      filter={({ options }) => options}
      nothingFoundMessage={texts.members.noneFound}
      placeholder={texts.members.searchHelp}
    />
  );
}
