package qcg.embedding;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.LongBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The model itself: ids of tokens to vectors of unit length; several threads may use it at once. */
final class Encoder {
    private final OrtEnvironment environment;
    private final OrtSession session;

    Encoder(Path model) throws OrtException {
        environment = OrtEnvironment.getEnvironment();
        environment.setTelemetry(false);
        try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
            // Threads that wait for work sleep: the cores belong to the database as well.
            options.addConfigEntry("session.intra_op.allow_spinning", "0");
            session = environment.createSession(model.toString(), options);
        }
    }

    /** A vector per row; shorter rows are padded to the longest. */
    List<float[]> encode(List<long[]> rows) throws OrtException {
        int width = rows.stream().mapToInt(row -> row.length).max().orElseThrow();
        long[] shape = {rows.size(), width};
        LongBuffer ids = numbers(rows.size() * width);
        LongBuffer mask = numbers(rows.size() * width);
        for (int row = 0; row < rows.size(); row++) {
            ids.put(row * width, rows.get(row));
            for (int token = 0; token < rows.get(row).length; token++) {
                mask.put(row * width + token, 1);
            }
        }
        try (OnnxTensor idTensor = OnnxTensor.createTensor(environment, ids, shape);
                OnnxTensor maskTensor = OnnxTensor.createTensor(environment, mask, shape);
                OnnxTensor typeTensor = OnnxTensor.createTensor(environment, numbers(rows.size() * width), shape);
                OrtSession.Result result = session.run(Map.of(
                        "input_ids", idTensor, "attention_mask", maskTensor, "token_type_ids", typeTensor))) {
            return means(((OnnxTensor) result.get(0)).getFloatBuffer(), rows, width);
        }
    }

    private static LongBuffer numbers(int count) {
        return ByteBuffer.allocateDirect(count * Long.BYTES).order(ByteOrder.nativeOrder()).asLongBuffer();
    }

    /** The mean of each row's tokens, padding left out, brought to unit length. */
    private static List<float[]> means(FloatBuffer states, List<long[]> rows, int width) {
        int dimension = states.capacity() / (rows.size() * width);
        List<float[]> vectors = new ArrayList<>(rows.size());
        float[] state = new float[dimension];
        for (int row = 0; row < rows.size(); row++) {
            double[] sum = new double[dimension];
            for (int token = 0; token < rows.get(row).length; token++) {
                states.get((row * width + token) * dimension, state);
                for (int place = 0; place < dimension; place++) {
                    sum[place] += state[place];
                }
            }
            vectors.add(Vectors.unit(sum));
        }
        return vectors;
    }
}
