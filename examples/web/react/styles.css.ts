import { globalStyle, style } from "@vanilla-extract/css";
import { vars } from "../generated/vanilla-extract/tokens.css";

globalStyle("*", { boxSizing: "border-box", margin: 0 });

globalStyle("body", {
  background: vars.background,
  color: vars.foreground,
  font: `${vars.weightRegular} 1rem/1.5 ${vars.fontSans}`,
});

globalStyle(":focus-visible", { outline: `2px solid ${vars.ring}`, outlineOffset: 2 });

const row = style({
  display: "flex",
  gap: vars.spaceMd,
  maxWidth: "50rem",
  margin: "auto",
  padding: `0 ${vars.spaceLg} ${vars.spaceMd}`,
});

export const header = style([row, { alignItems: "center", paddingTop: vars.spaceMd }]);

export const main = style([row, { alignItems: "stretch" }]);

export const brand = style({ marginRight: "auto", color: vars.primary, font: vars.title });

export const caption = style({ color: vars.mutedForeground, font: vars.caption });

export const title = style({ font: vars.title });

export const card = style({
  display: "grid",
  flex: 1,
  gap: vars.spaceMd,
  alignContent: "start",
  padding: vars.spaceLg,
  border: `1px solid ${vars.border}`,
  borderRadius: vars.radiusXl,
  background: vars.card,
  color: vars.cardForeground,
  boxShadow: vars.shadowSm,
});

export const meter = style({
  height: vars.spaceSm,
  overflow: "hidden",
  borderRadius: vars.radiusSm,
  background: vars.secondary,
});

export const filled = style({ height: "100%", background: vars.primary });

export const choice = style({
  padding: `${vars.spaceXs} ${vars.spaceSm}`,
  border: `1px solid ${vars.input}`,
  borderRadius: vars.radiusMd,
  background: vars.card,
  color: vars.mutedForeground,
  font: vars.caption,
});

export const days = style({ display: "grid", gridTemplateColumns: "repeat(7, 1fr)", gap: vars.spaceXs });

export const day = style({
  padding: `${vars.spaceSm} 0`,
  border: `1px solid ${vars.border}`,
  borderRadius: vars.radiusMd,
  background: "transparent",
  color: "inherit",
  font: vars.caption,
  selectors: {
    "&:hover": { background: vars.accent, color: vars.accentForeground },
    "&[aria-pressed=true]": { borderColor: vars.primary, background: vars.primary, color: vars.primaryForeground },
    "&:disabled": { background: vars.muted, color: vars.mutedForeground },
  },
});

export const alarm = style({ color: vars.destructive, font: vars.caption });
