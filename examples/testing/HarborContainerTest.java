// JUnit with Testcontainers: the image of packaging/docker/Dockerfile, in a registry of yours.
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;

@Testcontainers
class HarborContainerTest {
    @Container
    static final GenericContainer<?> EMULATOR = new GenericContainer<>("your-team/tokensync")
        .withExposedPorts(8000)
        .withEnv("TOKENSYNC_EMULATOR_SAMPLE", "1")
        .waitingFor(Wait.forHttp("/_emulator/health"));

    @Test
    void itCreatesAPlatform() throws Exception {
        var address = "http://" + EMULATOR.getHost() + ":" + EMULATOR.getMappedPort(8000) + "/_emulator/spaces";
        var request = HttpRequest.newBuilder(URI.create(address)).POST(HttpRequest.BodyPublishers.noBody()).build();
        var answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        assertTrue(answer.body().contains("\"token\""));
    }
}
