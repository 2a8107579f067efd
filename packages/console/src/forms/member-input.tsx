/** Chooses a member by name, phone number, e-mail address or number. */
import { Select, type SelectProps } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { useRead } from "../api/queries.ts";
import { useBusiness } from "../business.tsx";
import { texts } from "../texts/en.ts";

const typingMilliseconds = 150;

export function MemberInput(props: Omit<SelectProps, "data">) {
  const { business_id } = useBusiness();
  const [search, setSearch] = useState("");
  const [settled] = useDebouncedValue(search.trim().slice(0, 100), typingMilliseconds);
  const read = useRead(
    "/op/members/list",
    { business_id, per_page: 8, ...(settled !== "" && { search: settled }) },
    { keepPrevious: true },
  );
  const data = (read.data?.data ?? []).map(({ contact_id, first_name, last_name, phone_number }) => ({
    value: String(contact_id),
    label: `${first_name} ${last_name}, ${phone_number}`,
  }));
  return (
    <Select
      {...props}
      data={data}
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
