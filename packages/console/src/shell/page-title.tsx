/** The heading of a page, with its buttons. It names the tab, and gets the focus when the page is opened. */
import { Box, Group, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { type ReactNode, useEffect, useRef } from "react";
import { useMaybeBusiness } from "../business.tsx";
import { Note, PlainButton } from "../feedback/loading.tsx";
import { texts } from "../texts/en/texts.ts";

type PageTitleProps = Readonly<{ title: string; subtitle?: ReactNode; children?: ReactNode }>;

/** @param subtitle a line below the title @param children buttons */
export function PageTitle({ title, subtitle, children }: PageTitleProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const business = useMaybeBusiness();
  useDocumentTitle([title, business?.name, texts.product].filter(Boolean).join(" – "));
  useEffect(() => {
    // A page that has put the focus into a field keeps it there.
    if (!(document.activeElement instanceof HTMLInputElement)) heading.current?.focus();
  }, []);
  return (
    <Group justify="space-between" align="flex-start" mb="md" gap="sm">
      <Box miw={0} maw="46rem" flex="1 1 16rem">
        <Title order={1} size="h2" lineClamp={3} ref={heading} tabIndex={-1} style={{ outline: "none" }}>
          <bdi className="wraps">{title}</bdi>
        </Title>
        {subtitle && <Note component="div">{subtitle}</Note>}
      </Box>
      {children && <Group gap="xs">{children}</Group>}
    </Group>
  );
}

/** Prints the page, without what only a screen needs. The browser of a phone has this in its own menu. */
export const PrintButton = () => (
  <PlainButton {...{ visibleFrom: "xs", onClick: () => print(), children: texts.print }} />
);

type SectionProps = Readonly<{ title: string; beside?: ReactNode; children: ReactNode }>;

/** A part of a page, with its heading. @param beside buttons and choices beside the title */
export function Section({ title, beside, children }: SectionProps) {
  return (
    <section>
      <Group justify="space-between" mt="lg" mb="sm">
        <Title {...{ order: 2, size: "h4", children: title }} />
        {beside}
      </Group>
      {children}
    </section>
  );
}
