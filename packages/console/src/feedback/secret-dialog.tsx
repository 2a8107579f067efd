/** Shows what the service returns only once, such as a secret, to be copied. */
import { Alert, Button, Code, CopyButton, Group, Stack, Text } from "@mantine/core";
import { basePath } from "../api/place.ts";
import { labelOf, partnerTexts } from "../texts/index.ts";
import { Dialog } from "./dialog.tsx";

type SecretDialogProps = Readonly<{ title: string; values: Record<string, string>; onClose: () => void }>;

/** The token of an invitation is a part of its link. */
const textOf = (name: string, value: string) =>
  name === "invitation_token" ? `${location.origin}${basePath}/console/accept#token=${value}` : value;

/** @param values by the name of the field */
export function SecretDialog({ title, values, onClose }: SecretDialogProps) {
  const t = partnerTexts.secret;
  const { client_id, client_secret } = values;
  const request =
    client_id && client_secret && t.request(location.origin + basePath, client_id, client_secret);
  const shown = { ...values, ...(request && { first_request: request }) };
  return (
    <Dialog title={title} size="lg">
      <Stack>
        <Alert color="orange">{"invitation_token" in values ? t.link : t.onlyOnce}</Alert>
        {Object.entries(shown).map(([name, value]) => (
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
                  <Button variant="default" onClick={copy} aria-label={`${t.copy}: ${labelOf(name)}`}>
                    {copied ? t.copied : t.copy}
                  </Button>
                )}
              </CopyButton>
            </Group>
          </div>
        ))}
        <Button {...{ ml: "auto", onClick: onClose }}>{t.stored}</Button>
      </Stack>
    </Dialog>
  );
}
