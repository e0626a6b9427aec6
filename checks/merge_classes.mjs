// Reads {configuration, classes} from standard input as JSON; prints what tailwind-merge leaves of each, as JSON.
import { text } from "node:stream/consumers";
import { extendTailwindMerge, twMerge } from "tailwind-merge";

const { configuration, classes } = JSON.parse(await text(process.stdin));
const merge = configuration ? extendTailwindMerge(configuration) : twMerge;
process.stdout.write(JSON.stringify(classes.map((each) => merge(each))));
