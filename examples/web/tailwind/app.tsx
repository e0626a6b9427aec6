import type { ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Card, CardContent, CardDescription, CardFooter, CardHeader, CardTitle } from "@/components/ui/card";
import { Input } from "@/components/ui/input";
import { cn } from "@/lib/utils";
import { Choice } from "../choice";

function Row({ name, children, className }: { name: string; children: ReactNode; className?: string }) {
  return (
    <li className={cn("flex items-center justify-between border-b p-sm", className)}>
      {name} {children}
    </li>
  );
}

function App() {
  return (
    <div className="mx-auto max-w-[50rem]">
      <header className="flex items-center gap-md px-lg py-md text-caption text-muted-foreground">
        <h1 className="mr-auto font-display text-title text-primary">Firn</h1>
        <Choice axis="season" values={["winter", "summer"]} className="rounded-md border border-input bg-card p-xs" />
        <Choice axis="theme" values={["system", "light", "dark"]} className="rounded-md border border-input bg-card p-xs" />
      </header>
      <main className="grid grid-cols-2 gap-md px-lg pb-md">
        <Card className="gap-md">
          <CardHeader>
            <CardTitle className="font-display text-title">Hut at the Blue Pass</CardTitle>
            <CardDescription className="text-caption">2,804 m above the sea, four hours from the last bus</CardDescription>
          </CardHeader>
          <CardContent className="grid gap-md">
            <p className="flex gap-sm">
              <Badge className="bg-accent text-accent-foreground">12 beds left</Badge>
              <Badge variant="secondary">Kitchen</Badge>
            </p>
            <Input name="nights" aria-label="Nights" placeholder="How many nights?" />
          </CardContent>
          <CardFooter className="gap-sm">
            <Button className="px-md">Book a bed</Button>
            <Button variant="outline">See the way</Button>
          </CardFooter>
        </Card>
        <Card className="gap-md">
          <CardHeader>
            <CardTitle className="font-display text-title">Open now</CardTitle>
          </CardHeader>
          <CardContent>
            <ul>
              <Row name="Blue Pass" className="rounded-sm bg-accent text-accent-foreground">
                <span className="text-caption text-muted-foreground">12 beds</span>
              </Row>
              <Row name="Marmot Rock">
                <span className="text-caption text-muted-foreground">3 beds</span>
              </Row>
              <Row name="Long Lake">
                <span className="text-caption text-muted-foreground">30 beds</span>
              </Row>
              <Row name="Old Dairy">
                <Badge variant="destructive">closed</Badge>
              </Row>
            </ul>
          </CardContent>
        </Card>
      </main>
    </div>
  );
}

createRoot(document.getElementById("app")!).render(<App />);
