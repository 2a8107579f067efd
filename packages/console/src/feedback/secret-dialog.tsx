/** Shows what the service returns only once, such as a secret, to be copied. */
import { Alert, Button, Code, CopyButton, Group, Stack, Text } from "@mantine/core";
import { basePath } from "../api/place.ts";
import { texts } from "../texts/en.ts";
import { labelOf } from "../texts/labels.ts";
import { Dialog } from "./dialog.tsx";

interface SecretDialogProps {
  readonly title: string;
  /** By the name of the field. */
  readonly values: Readonly<Record<string, string>>;
  readonly onClose: () => void;
}

/** The token of an invitation is a part of its link. */
const textOf = (name: string, value: string) =>
  name === "invitation_token" ? `${location.origin}${basePath}/console/accept#token=${value}` : value;

export function SecretDialog({ title, values, onClose }: SecretDialogProps) {
  return (
    <Dialog title={title} size="lg">
      <Stack>
        <Alert color="orange" variant="light">
          {texts.secret.onlyOnce}
        </Alert>
        {Object.entries(values).map(([name, value]) => (
          <div key={name}>
            <Text size="sm" fw={500}>
              {labelOf(name)}
            </Text>
            <Group gap="xs" wrap="nowrap" align="flex-start">
              <Code className="wraps" flex={1} p="xs">
                {textOf(name, value)}
              </Code>
              <CopyButton value={textOf(name, value)}>
                {({ copied, copy }) => (
                  <Button
                    variant="default"
                    onClick={copy}
                    aria-label={`${texts.secret.copy}: ${labelOf(name)}`}
                  >
                    {copied ? texts.secret.copied : texts.secret.copy}
                  </Button>
                )}
              </CopyButton>
            </Group>
          </div>
        ))}
        <Group justify="flex-end">
          <Button onClick={onClose}>{texts.secret.stored}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
