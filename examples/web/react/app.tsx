import { useState } from "react";
import { createRoot } from "react-dom/client";
import { Choice } from "../choice";
import * as styles from "./styles.css";

const full = [6, 7, 13];

function Nights({ first, count }: { first: number; count: number }) {
  const [chosen, setChosen] = useState([10, 11, 12]);
  const toggle = (day: number) =>
    setChosen(chosen.includes(day) ? chosen.filter((other) => other !== day) : [...chosen, day]);
  return (
    <div className={styles.days}>
      {Array.from({ length: count }, (_, index) => first + index).map((day) => (
        <button
          type="button"
          key={day}
          className={styles.day}
          disabled={full.includes(day)}
          aria-pressed={chosen.includes(day)}
          onClick={() => toggle(day)}
        >
          {day}
        </button>
      ))}
    </div>
  );
}

function Occupancy({ name, beds, taken }: { name: string; beds: number; taken: number }) {
  return (
    <div>
      <p className={styles.caption}>
        {name}: {beds - taken} of {beds} beds
      </p>
      <div className={styles.meter}>
        <div className={styles.filled} style={{ width: `${(100 * taken) / beds}%` }} />
      </div>
    </div>
  );
}

function App() {
  return (
    <>
      <header className={styles.header}>
        <h1 className={styles.brand}>Firn</h1>
        <Choice axis="season" values={["winter", "summer"]} className={styles.choice} />
        <Choice axis="theme" values={["system", "light", "dark"]} className={styles.choice} />
      </header>
      <main className={styles.main}>
        <section className={styles.card}>
          <h2 className={styles.title}>Choose your nights</h2>
          <p className={styles.caption}>February at the Blue Pass</p>
          <Nights first={1} count={14} />
          <p className={styles.alarm}>Three nights are full.</p>
        </section>
        <section className={styles.card}>
          <h2 className={styles.title}>Tonight</h2>
          <Occupancy name="Blue Pass" beds={40} taken={28} />
          <Occupancy name="Marmot Rock" beds={24} taken={21} />
          <Occupancy name="Long Lake" beds={60} taken={30} />
        </section>
      </main>
    </>
  );
}

createRoot(document.getElementById("app")!).render(<App />);
