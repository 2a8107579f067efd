/** Bars over time, drawn by uPlot. Only pages with a chart load it. Its name has the values, for people who can't see it. */
import { Text, useComputedColorScheme } from "@mantine/core";
import { useElementSize, useMergedRef } from "@mantine/hooks";
import { useEffect, useState } from "react";
import uPlot from "uplot";
import { compactText } from "../../texts/decimals.ts";

/** `text`: what the bar is, with its value. */
type Bar = Readonly<{ label: string; value: number; text: string }>;

/** @param props.decimals those of the values */
export function Chart(props: Readonly<{ label: string; bars: readonly Bar[]; decimals: number }>) {
  const { label, bars, decimals } = props;
  const { ref, width } = useElementSize<HTMLDivElement>();
  const [box, setBox] = useState<HTMLDivElement | null>(null);
  const scheme = useComputedColorScheme("light");
  const [pointed, setPointed] = useState<number | null>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the page has other colours in another scheme
  useEffect(() => {
    if (box === null || width === 0) return;
    const amounts = bars.map(({ value }) => value / 10 ** decimals);
    const chart = new uPlot(optionsOf(box, bars, width), [[...bars.keys()], amounts], box);
    chart.over.addEventListener("mousemove", () => setPointed(chart.cursor.idx));
    chart.over.addEventListener("mouseleave", () => setPointed(null));
    return () => chart.destroy();
  }, [box, width, scheme, decimals, JSON.stringify(bars)]);
  const name = `${label}: ${bars.map(({ text }) => text).join(", ")}`;
  return (
    <>
      <Text {...{ mb: "xs", "aria-hidden": true, children: bars[pointed ?? bars.length - 1]?.text }} />
      <Text ref={useMergedRef(ref, setBox)} component="div" c="dimmed" h={220} role="img" aria-label={name} />
    </>
  );
}

function optionsOf(box: HTMLElement, bars: readonly Bar[], width: number): uPlot.Options {
  const style = getComputedStyle(box);
  const colour = (name: string) => style.getPropertyValue(`--mantine-${name}`);
  const grid = { stroke: colour("color-default-border") };
  const look = { stroke: style.color, font: `12px ${style.fontFamily}`, ticks: { show: false } };
  const days = { size: 30, space: 70, incrs: [1, 2, 5, 7, 10, 14, 30, 60], grid: { show: false } };
  // A chart of nothing has no scale.
  const amountText = (amount: number) => (bars.some(({ value }) => value) ? compactText(amount) : "");
  const bar = { fill: colour("primary-color-filled"), paths: uPlot.paths.bars?.({ size: [0.7, 60] }) };
  return {
    ...{ width, height: 220 },
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
    scales: {
      x: { time: false, range: [-0.5, bars.length - 0.5] },
      // It has 0, and something above it.
      y: { range: (_chart, least, most) => [Math.min(0, least), Math.max(2, most * 1.05)] },
    },
    axes: [
      { ...look, ...days, values: (_chart, places) => places.map((place) => bars[place]?.label ?? "") },
      { ...look, grid, size: 60, values: (_chart, amounts) => amounts.map(amountText) },
    ],
    series: [{}, { ...bar, points: { show: false } }],
  };
}
