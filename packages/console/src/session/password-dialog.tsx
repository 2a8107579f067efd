/** Asks for the password over the page, which keeps what is being edited. */
import { Button, Group, Modal, Text } from "@mantine/core";
import type { SignInReason } from "../api/client.ts";
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
    <Modal
      opened
      centered
      zIndex={400}
      title={title}
      onClose={onCancel}
      closeOnClickOutside={false}
      closeButtonProps={{ "aria-label": cancel }}
    >
      <Text mb="md">{explanation}</Text>
      <CredentialsForm name={name} label={texts.passwordDialog.submit} onSignedIn={onSignedIn} />
      <Group justify="center" mt="sm">
        <Button variant="subtle" onClick={onCancel}>
          {cancel}
        </Button>
      </Group>
    </Modal>
  );
}
