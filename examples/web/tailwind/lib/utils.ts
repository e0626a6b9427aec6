import { type ClassValue, clsx } from "clsx";
import { extendTailwindMerge } from "tailwind-merge";
import tokens from "../../generated/tailwind/tailwind-merge.json";

const merge = extendTailwindMerge(tokens);

export function cn(...inputs: ClassValue[]) {
  return merge(clsx(inputs));
}
