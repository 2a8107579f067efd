/** The data of a member, which can be edited. */
import { Group } from "@mantine/core";
import { outputOf } from "../../api/declarations.ts";
import { OperationButton } from "../../forms/operation-dialog.tsx";
import { Details } from "../../tables/details.tsx";
import { texts } from "../../texts/en.ts";
import type { OfMember } from "./overview.tsx";

const shown = [
  ...["first_name", "last_name", "phone_number", "email", "date_of_birth", "external_ref", "joined_at"],
  "has_password",
];

export function Profile({ member }: OfMember) {
  const { contact_id, active } = member;
  return (
    <>
      <Details record={member} fields={outputOf("/op/members/get")} show={shown} />
      {active && (
        <Group mt="lg">
          <OperationButton
            path="/op/members/update"
            fixed={{ contact_id }}
            initial={member}
            label={texts.profile.edit}
            submitLabel={texts.forms.save}
          />
        </Group>
      )}
    </>
  );
}
