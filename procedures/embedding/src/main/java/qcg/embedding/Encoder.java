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
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The model itself: ids of tokens to vectors of unit length; several threads may use it at once. */
final class Encoder {
    private final OrtEnvironment environment;
    private final OrtSession session;
    private final ModelFacts facts;

    Encoder(Path model, ModelFacts facts) throws OrtException {
        this.facts = facts;
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
                OrtSession.Result result = session.run(wanted(
                        Map.of("input_ids", idTensor, "attention_mask", maskTensor, "token_type_ids", typeTensor)))) {
            return vectors((OnnxTensor) result.get(0), rows, width);
        }
    }

    /** Those tensors that this model takes; not all have kinds of tokens. */
    private Map<String, OnnxTensor> wanted(Map<String, OnnxTensor> tensors) {
        Map<String, OnnxTensor> taken = new HashMap<>(tensors);
        taken.keySet().retainAll(session.getInputNames());
        return taken;
    }

    private List<float[]> vectors(OnnxTensor states, List<long[]> rows, int width) {
        long[] expected = {rows.size(), width, facts.dimension()};
        if (!Arrays.equals(states.getInfo().getShape(), expected)) {
            throw new IllegalStateException("The model %s gives %s instead of states of tokens, %s."
                    .formatted(
                            facts.name(),
                            Arrays.toString(states.getInfo().getShape()),
                            Arrays.toString(expected)));
        }
        FloatBuffer numbers = states.getFloatBuffer();
        boolean isMean = facts.pooling().equals("mean");
        List<float[]> vectors = new ArrayList<>(rows.size());
        for (int row = 0; row < rows.size(); row++) {
            vectors.add(sum(numbers, row * width, isMean ? rows.get(row).length : 1));
        }
        return vectors;
    }

    /** The states of so many tokens added up, padding left out, and brought to unit length. */
    private float[] sum(FloatBuffer states, int begin, int tokens) {
        float[] state = new float[facts.dimension()];
        double[] sum = new double[state.length];
        for (int token = begin; token < begin + tokens; token++) {
            states.get(token * state.length, state);
            for (int place = 0; place < state.length; place++) {
                sum[place] += state[place];
            }
        }
        return Vectors.unit(sum);
    }

    private static LongBuffer numbers(int count) {
        return ByteBuffer.allocateDirect(count * Long.BYTES).order(ByteOrder.nativeOrder()).asLongBuffer();
    }
}
