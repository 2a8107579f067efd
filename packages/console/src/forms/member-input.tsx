/** Chooses a member by name, phone number, e-mail address or number. */
import { Select, type SelectProps } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { useRead } from "../api/queries.ts";
import { texts } from "../texts/en.ts";

const typingMilliseconds = 150;

export function MemberInput({ value, ...props }: Omit<SelectProps<string>, "data" | "multiple">) {
  const [search, setSearch] = useState("");
  const [settled] = useDebouncedValue(search.trim().slice(0, 100), typingMilliseconds);
  const read = useRead(
    "/op/members/list",
    { per_page: 8, ...(settled !== "" && { search: settled }) },
    { keepPrevious: true },
  );
  const found = (read.data?.data ?? []).map(({ contact_id, first_name, last_name, phone_number }) => ({
    value: String(contact_id),
    label: `${first_name} ${last_name}, ${phone_number}`,
  }));
  // A member that was chosen before, for example by the address, need not be among those that are found.
  const isKnown = !value || found.some((one) => one.value === value);
  return (
    <Select
      {...{ ...props, value }}
      data={isKnown ? found : [...found, { value, label: texts.member.number(value) }]}
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
