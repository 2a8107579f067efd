/** Short messages about what was done, in a corner of the page. */
import { Affix, Notification, Stack } from "@mantine/core";
import { useEffect, useState } from "react";
import { texts } from "../texts/en.ts";

type Notices = readonly Readonly<{ id: string; message: string }>[];

const shownMilliseconds = 8000;

/** The element that shows them sets it. */
let change: (next: (shown: Notices) => Notices) => void = () => undefined;

const dismiss = (id: string) => change((shown) => shown.filter((notice) => notice.id !== id));

export function notify(message: string): void {
  const id = crypto.randomUUID();
  change((shown) => [...shown.slice(-2), { id, message }]);
  setTimeout(() => dismiss(id), shownMilliseconds);
}

export function NoticeCorner() {
  const [notices, setNotices] = useState<Notices>([]);
  useEffect(() => {
    change = setNotices;
  }, []);
  const closeButtonProps = { "aria-label": texts.close };
  return (
    <Affix zIndex={500} position={{ bottom: "1rem", right: "1rem" }} w="min(24rem, calc(100vw - 2rem))">
      <Stack gap="xs" role="status" aria-live="polite">
        {notices.map(({ id, message }) => (
          <Notification
            key={id}
            withBorder
            color="teal"
            onClose={() => dismiss(id)}
            {...{ closeButtonProps }}
          >
            {message}
          </Notification>
        ))}
      </Stack>
    </Affix>
  );
}
