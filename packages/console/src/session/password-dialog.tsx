/** Asks for the password over the page, which keeps what is being edited. */
import { Button, Group, Text } from "@mantine/core";
import type { SignInReason } from "../api/client.ts";
import { Dialog } from "../feedback/dialog.tsx";
import { texts } from "../texts/en.ts";
import { CredentialsForm } from "./credentials-form.tsx";
import type { SessionData } from "./operator.ts";

interface PasswordDialogProps {
  readonly reason: SignInReason;
  readonly name: string;
  readonly onSignedIn: (session: SessionData) => void;
  readonly onCancel: () => void;
}

export function PasswordDialog({ reason, name, onSignedIn, onCancel }: PasswordDialogProps) {
  const { title, explanation, cancel } = texts.passwordDialog[reason];
  return (
    <Dialog title={title} onClose={onCancel} zIndex={400} closeLabel={cancel}>
      <Text mb="md">{explanation}</Text>
      <CredentialsForm name={name} label={texts.passwordDialog.submit} onSignedIn={onSignedIn} />
      <Group justify="center" mt="sm">
        <Button variant="subtle" onClick={onCancel}>
          {cancel}
        </Button>
      </Group>
    </Dialog>
  );
}
