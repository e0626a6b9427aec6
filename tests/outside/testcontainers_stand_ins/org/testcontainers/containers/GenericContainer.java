package org.testcontainers.containers;

import com.github.dockerjava.api.command.InspectContainerResponse;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.List;
import org.testcontainers.containers.wait.strategy.WaitStrategy;
import org.testcontainers.containers.wait.strategy.WaitStrategyTarget;
import org.testcontainers.lifecycle.Startable;

/** Runs the image's command as a process in place of Docker. All else, also the waiting, is Testcontainers itself. */
public class GenericContainer<SELF extends GenericContainer<SELF>> implements Startable, WaitStrategyTarget {
    private final ProcessBuilder builder = new ProcessBuilder("tokensync", "emulator", "serve");
    private Process process;
    private int exposed;
    private int mapped;
    private WaitStrategy waiting;

    public GenericContainer(String image) {
        builder.environment().put("TOKENSYNC_EMULATOR_PORT", "0");
    }

    @SuppressWarnings("unchecked")
    private SELF self() {
        return (SELF) this;
    }

    public SELF withExposedPorts(Integer... ports) {
        exposed = ports[0];
        return self();
    }

    public SELF withEnv(String name, String value) {
        builder.environment().put(name, value);
        return self();
    }

    public SELF waitingFor(WaitStrategy strategy) {
        waiting = strategy;
        return self();
    }

    @Override
    public void start() {
        try {
            process = builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
            var line = new BufferedReader(new InputStreamReader(process.getInputStream())).readLine();
            mapped = Integer.parseInt(line.replaceFirst(".*?:(\\d+)\".*", "$1"));
        } catch (java.io.IOException error) {
            throw new java.io.UncheckedIOException(error);
        }
        waiting.waitUntilReady(this);
    }

    @Override
    public void stop() {
        process.destroy();
    }

    @Override
    public String getHost() {
        return "127.0.0.1";
    }

    @Override
    public Integer getMappedPort(int port) {
        if (port != exposed) throw new IllegalArgumentException("not exposed: " + port);
        return mapped;
    }

    @Override
    public List<Integer> getExposedPorts() {
        return List.of(exposed);
    }

    @Override
    public java.util.Set<Integer> getLivenessCheckPortNumbers() {
        return java.util.Set.of(mapped);
    }

    @Override
    public boolean isRunning() {
        return process.isAlive();
    }

    @Override
    public InspectContainerResponse getContainerInfo() {
        return new InspectContainerResponse();
    }
}
