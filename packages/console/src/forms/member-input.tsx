/** Chooses a member by name, phone number, e-mail address or number. */
import { Select, type SelectProps } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { useRead } from "../api/index.ts";
import { texts, withoutIsolates } from "../texts/index.ts";
import { memberChoice, useFoundMembers } from "../values/found-members.ts";
import type { Choice } from "../values/references.ts";

export function MemberInput({ value, onChange, ...props }: Omit<SelectProps<string>, "data" | "multiple">) {
  const [search, setSearch] = useState("");
  const [picked, setPicked] = useState<Choice>();
  const [settled] = useDebouncedValue(withoutIsolates(search).trim().slice(0, 100), 150);
  const { members: listed, isLoading, failure } = useFoundMembers(settled);
  const none = isLoading ? texts.loading : (failure ?? texts.members.noneFound);
  const isListed = !value || listed.some((one) => one.value === value);
  // The text of the member that was picked becomes the next search, which need not find it.
  const known = picked?.value === value ? picked : undefined;
  // A member that was chosen before, for example by the address, need not be among those that are found.
  const isUnknown = !isListed && known === undefined;
  const read = useRead("/op/members/get", { contact_id: Number(value) }, { enabled: isUnknown }).data;
  const number = String(value);
  const chosen =
    known ?? (read ? memberChoice(read.data) : { value: number, label: texts.member.number(number) });
  return (
    <Select
      {...{ ...props, value }}
      onChange={(next, option) => {
        setPicked(option ?? undefined);
        onChange?.(next, option);
      }}
      data={isListed ? listed : [...listed, chosen]}
      {...{ searchable: true, searchValue: search, onSearchChange: setSearch }}
      // The service has searched already.
      filter={({ options }) => options}
      {...{ nothingFoundMessage: none, placeholder: texts.members.searchHelp }}
    />
  );
}
