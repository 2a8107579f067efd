/** Chooses a member by name, phone number, e-mail address or number. */
import { Select, type SelectProps } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import type { DataOf } from "../api/declarations.ts";
import { useRead } from "../api/queries.ts";
import { texts } from "../texts/en.ts";

const typingMilliseconds = 150;

type Member = Pick<DataOf<"/op/members/list">, "contact_id" | "first_name" | "last_name" | "phone_number">;

const choiceOf = ({ contact_id, first_name, last_name, phone_number }: Member) => ({
  value: String(contact_id),
  label: `${first_name} ${last_name}, ${phone_number}`,
});

export function MemberInput({ value, ...props }: Omit<SelectProps<string>, "data" | "multiple">) {
  const [search, setSearch] = useState("");
  const [settled] = useDebouncedValue(search.trim().slice(0, 100), typingMilliseconds);
  const read = useRead(
    "/op/members/list",
    { per_page: 8, ...(settled !== "" && { search: settled }) },
    { keepPrevious: true },
  );
  const found = (read.data?.data ?? []).map(choiceOf);
  // A member that was chosen before, for example by the address, need not be among those that are found.
  const isKnown = !value || found.some((one) => one.value === value);
  const chosen = useRead("/op/members/get", { contact_id: Number(value) }, { enabled: !isKnown }).data;
  return (
    <Select
      {...{ ...props, value }}
      data={
        isKnown
          ? found
          : [...found, chosen ? choiceOf(chosen.data) : { value, label: texts.member.number(value) }]
      }
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
