/** Short messages about what was done, in a corner of the page. */
import { Notifications, notifications } from "@mantine/notifications";
import { texts } from "../texts/en.ts";

const closeButtonProps = { "aria-label": texts.close };

export function notify(message: string): void {
  notifications.show({ message, color: "teal", withBorder: true, autoClose: 8000, closeButtonProps });
}

export function NoticeCorner() {
  return <Notifications limit={3} zIndex={500} role="status" aria-live="polite" />;
}
