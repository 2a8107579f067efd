/** Some bars with their scale, as elements of the page: labels keep their size on a phone, and colours follow the page. */
import { Flex, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { compactText } from "../../texts/decimals.ts";

interface Bar {
  /** Below the bar, if there is space. */
  readonly label: string;
  readonly value: number;
  /** What the bar is, with its value. */
  readonly text: string;
}

const Chart = Flex.withProps({ h: "12rem", mb: "2rem", gap: "xs", role: "img" });
const labels = { fz: "xs", lh: 1 };
const Scale = Stack.withProps({
  ...labels,
  className: "chart-scale",
  justify: "space-between",
  gap: 0,
  my: "-0.375rem",
  ta: "end",
});
const Place = Flex.withProps({ ...labels, flex: 1, pos: "relative", align: "flex-end" });

/** As many labels can be read side by side on a phone. */
const mostLabels = 6;

/** @param props.decimals those of the values */
export function BarChart(props: Readonly<{ label: string; bars: readonly Bar[]; decimals: number }>) {
  const { label, bars, decimals } = props;
  const [pointed, setPointed] = useState<number>();
  const top = topOf(Math.max(2 * 10 ** decimals, ...bars.map(({ value }) => value)));
  const every = Math.ceil(bars.length / mostLabels);
  return (
    <>
      <Text size="sm" mb="xs" aria-hidden>
        {bars[pointed ?? bars.length - 1]?.text}
      </Text>
      <Chart aria-label={`${label}: ${bars.map(({ text }) => text).join(", ")}`}>
        <Scale>
          {[top, top / 2, 0].map((value) => (
            <span key={value}>{compactText(value / 10 ** decimals)}</span>
          ))}
        </Scale>
        <Flex flex={1} className="chart-bars" onPointerLeave={() => setPointed(undefined)}>
          {bars.map((bar, index) => (
            <Place key={bar.label} onPointerEnter={() => setPointed(index)}>
              <div
                style={{ height: `${Math.max(0, bar.value / top) * 100}%` }}
                data-pointed={index === pointed}
              />
              {(bars.length - 1 - index) % every === 0 && <span>{bar.label}</span>}
            </Place>
          ))}
        </Flex>
      </Chart>
    </>
  );
}

/** The end of the scale: the next number from 1, 2, 4, 5, 6, 8 and 10, times a power of ten. */
function topOf(largest: number): number {
  const power = 10 ** Math.floor(Math.log10(largest));
  return ([1, 2, 4, 5, 6, 8].find((step) => step * power >= largest) ?? 10) * power;
}
