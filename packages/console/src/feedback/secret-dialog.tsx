/** Shows what a person copies from a response: a secret, which only this response has, or the address of a page. */
import { Alert, Button, Code, CopyButton, Group, Stack, Text } from "@mantine/core";
import { home } from "../api/place.ts";
import { colon, labelOf, partnerTexts, texts } from "../texts/index.ts";
import { Dialog } from "./dialog.tsx";
import { Note } from "./loading.tsx";

type SecretDialogProps = Readonly<{ title: string; values: Record<string, string>; onClose: () => void }>;

/** The token of an invitation is a part of its link, as is the path of a page. */
const links = { invitation_token: "/console/accept#token=", page_path: "" };
const isLink = (name: string): name is keyof typeof links => name in links;
const linkLook = { component: "a", target: "_blank", td: "underline" } as const;
const shownValue = ([name, value]: [string, string]) =>
  [name, isLink(name) ? home + links[name] + value : value] as const;

/** @param values by the name of the field */
export function SecretDialog({ title, values, onClose }: SecretDialogProps) {
  const t = partnerTexts.secret;
  const { client_id, client_secret } = values;
  const request = client_id && client_secret && t.request(home, client_id, client_secret);
  const shown = Object.entries({ ...values, ...(request && { first_request: request }) });
  return (
    <Dialog title={title} size="lg">
      <Stack>
        <Alert color="orange">{t[Object.keys(values).find(isLink) ?? "onlyOnce"]}</Alert>
        {shown.map(shownValue).map(([name, value]) => (
          <div key={name}>
            <Note>{labelOf(name)}</Note>
            <Group gap="xs" wrap="nowrap" align="flex-start">
              <Code className="wraps" flex={1} p="xs">
                <Text inherit {...(name === "page_path" && { ...linkLook, href: value })}>
                  {value}
                </Text>
              </Code>
              <CopyButton value={value}>
                {({ copied, copy }) => (
                  <Button variant="default" onClick={copy} aria-label={t.copy + colon + labelOf(name)}>
                    {copied ? t.copied : t.copy}
                  </Button>
                )}
              </CopyButton>
            </Group>
          </div>
        ))}
        <Button
          {...{ ml: "auto", onClick: onClose, children: "page_path" in values ? texts.close : t.stored }}
        />
      </Stack>
    </Dialog>
  );
}
