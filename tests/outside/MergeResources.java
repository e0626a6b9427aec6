import com.android.ide.common.res2.MergedResourceWriter;
import com.android.ide.common.res2.NoOpResourcePreprocessor;
import com.android.ide.common.res2.ResourceMerger;
import com.android.ide.common.res2.ResourceSet;
import com.android.utils.StdLogger;
import java.io.File;

/** The resource merger of the Android Gradle plugin: into the first folder go the others, of which the last one wins. */
class MergeResources {
    public static void main(String[] folders) throws Exception {
        ResourceMerger merger = new ResourceMerger(21);
        for (int at = 1; at < folders.length; at++) {
            ResourceSet resources = new ResourceSet("set" + at, null, true);
            resources.addSource(new File(folders[at]));
            resources.loadFromFiles(new StdLogger(StdLogger.Level.WARNING));
            merger.addDataSet(resources);
        }
        File merged = new File(folders[0], "res");
        merger.mergeData(
            MergedResourceWriter.createWriterWithoutPngCruncher(
                merged, null, new File(folders[0], "blame"), new NoOpResourcePreprocessor(), new File(folders[0], "temporary")),
            true);
    }
}
