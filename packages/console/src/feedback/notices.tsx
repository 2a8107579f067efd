/** Short messages about what was done, in a corner of the page. */
import { Notification, Stack } from "@mantine/core";
import { useSyncExternalStore } from "react";
import { texts } from "../texts/en.ts";

interface Notice {
  readonly id: number;
  readonly message: string;
}

const shownMilliseconds = 8000;
let notices: readonly Notice[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: readonly Notice[]): void {
  notices = next;
  for (const listener of listeners) listener();
}

const dismiss = (id: number) => change(notices.filter((notice) => notice.id !== id));

export function notify(message: string): void {
  lastId += 1;
  const id = lastId;
  change([...notices.slice(-2), { id, message }]);
  setTimeout(() => dismiss(id), shownMilliseconds);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Notices() {
  const shown = useSyncExternalStore(subscribe, () => notices);
  return (
    <Stack className="notices" gap="xs" role="status" aria-live="polite">
      {shown.map(({ id, message }) => (
        <Notification
          key={id}
          withBorder
          color="teal"
          onClose={() => dismiss(id)}
          closeButtonProps={{ "aria-label": texts.close }}
        >
          {message}
        </Notification>
      ))}
    </Stack>
  );
}
