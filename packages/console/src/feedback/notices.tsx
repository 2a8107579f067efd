/** The notices in the corner of the window. They are loaded after the first page. */
import { Notifications, notifications } from "@mantine/notifications";
import { texts } from "../texts/en/texts.ts";

export const NoticeCorner = () => (
  <Notifications position="bottom-left" limit={3} zIndex={500} role="status" aria-live="polite" />
);

const closeButtonProps = { "aria-label": texts.close };

export function show(message: string): void {
  notifications.show({ message, color: "teal", withBorder: true, autoClose: 8000, closeButtonProps });
}

export const clear = notifications.clean;
