/** Asks for the password over the page, which keeps what is being edited. */
import { Button, Group, Text } from "@mantine/core";
import type { SignInReason } from "../api/client.ts";
import { declarationOf } from "../api/declarations.ts";
import { Dialog } from "../feedback/dialog.tsx";
import { notify } from "../feedback/notices.tsx";
import { texts } from "../texts/en.ts";
import type { SessionData } from "./operator.ts";
import { PasswordForm } from "./password-form.tsx";

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
      <PasswordForm
        path="/op/session/create"
        known={{ name }}
        label={texts.passwordDialog.submit}
        onDone={onSignedIn}
      />
      <Group justify="center" mt="sm">
        <Button variant="subtle" onClick={onCancel}>
          {cancel}
        </Button>
      </Group>
    </Dialog>
  );
}

const path = "/op/session/change-password";

/** Changes the password of the person who is signed in. Its other sessions end. */
export function ChangePassword({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const done = () => {
    notify(declarationOf(path).message);
    onClose();
  };
  return (
    <Dialog title={texts.changePassword.title} onClose={onClose}>
      <Text mb="md">{texts.changePassword.explanation}</Text>
      <PasswordForm path={path} known={{ name }} label={texts.forms.save} onDone={done} />
    </Dialog>
  );
}
