// README.md says what this is. Run where node_modules is; PROTO is the .proto file.
import fs from "node:fs";
import grpc from "@grpc/grpc-js";
import loader from "@grpc/proto-loader";

const [target, what, ...words] = process.argv.slice(2);
const LIMIT = 256 << 20;
const definition = loader.loadSync(process.env.PROTO, { longs: Number, enums: Number, defaults: true });
const { ProvingEngine } = grpc.loadPackageDefinition(definition).cuzk.v1;
const client = new ProvingEngine(target, grpc.credentials.createInsecure(), {
  "grpc.max_send_message_length": LIMIT,
  "grpc.max_receive_message_length": LIMIT,
});
const WINNING_POST = 4, POREP_SEAL_COMMIT = 1;

const after = (seconds) => ({ deadline: Date.now() + 1000 * seconds });
const call = (method, request, seconds = 120) =>
  new Promise((good, bad) =>
    client[method](request, after(seconds), (error, answer) => (error ? bad(error) : good(answer))));
const code = (method, request, seconds) =>
  call(method, request, seconds).then(() => "OK", (error) => grpc.status[error.code]);
const say = (name, value) => console.log(`${name}: ${value}`);
// as Python writes them
const truth = (value) => (value ? "True" : "False");

const { ID = "calls", CIRCUIT = "winning-32GiB", VANILLA, RANDOMNESS } = process.env;
const vanilla = VANILLA ? fs.readFileSync(VANILLA) : Buffer.alloc(100, 7);
const randomness = RANDOMNESS ? Buffer.from(RANDOMNESS, "hex") : Buffer.alloc(32, 9);
const winning = (id, n = 0) => ({
  requestId: id, proofKind: WINNING_POST, sectorSize: 2048, minerId: 1000, randomness,
  vanillaProofs: [n ? Buffer.alloc(n, 7) : vanilla],
});

function watch(id) {
  return new Promise((good, bad) => {
    const states = [];
    client.WatchJob({ jobId: id }, after(120))
      .on("data", (job) => states.push(job.state)).on("error", bad).on("end", () => good(states));
  });
}

const whats = {
  async calls() {
    const status = await call("GetStatus", {});
    say("GetStatus", status.queues.map((q) => q.proofKind).join(" "));
    say("GetMetrics", truth((await call("GetMetrics", {})).prometheusText.includes("cuzk_")));
    let job = await call("SubmitProof", winning(`${ID}-1`));
    say("SubmitProof", job.jobId.split("~")[0]);
    say("AwaitProof 1 ms", (await call("AwaitProof", { jobId: job.jobId, timeoutMs: 1 })).status);
    say("WatchJob", (await watch(job.jobId)).at(-1));
    const done = await call("AwaitProof", { jobId: `${ID}-1` });
    say("AwaitProof", `${done.status} ${done.proof.length}`);
    const again = (await call("Prove", { submit: winning(`${ID}-1`) })).result;
    say("Prove", truth(again.status === done.status && again.proof.equals(done.proof)));
    const { jobs } = await call("ListJobs", {});
    say("ListJobs", jobs.filter((j) => j.requestId === `${ID}-1`).length);
    say("GetTrace", (await call("GetTrace", { jobId: `${ID}-1` })).json[0]);
    say("at once", await code("Prove", { submit: winning(`${ID}-2`) }, 0.001));
    say("late", await code("Prove", { submit: winning(`${ID}-2`) }, 0.05));
    say("after it", (await call("Prove", { submit: winning(`${ID}-2`) })).result.status);
    job = await call("SubmitProof", winning(`${ID}-3`));
    await call("CancelProof", { jobId: job.jobId });
    say("CancelProof", (await call("AwaitProof", { jobId: job.jobId })).status);
    say("CancelProof of none", await code("CancelProof", { jobId: "none" }));
    await call("PreloadSRS", { circuitId: CIRCUIT });
    say("PreloadSRS", "answered");
    await call("EvictSRS", { circuitId: CIRCUIT });
    say("EvictSRS", "answered");
    say("no kind", await code("Prove", { submit: {} }));
  },

  async prove(id) {
    const { result } = await call("Prove", { submit: winning(id) });
    say("prove", `${result.status} ${result.proof.toString("hex")}`);
  },

  async porep(path, id) {
    const submit = { requestId: id, proofKind: POREP_SEAL_COMMIT, sectorSize: 2048,
      vanillaProof: fs.readFileSync(path) };
    const { result } = await call("Prove", { submit }, 600);
    say("porep", `${result.status} ${result.proof.toString("hex")}`);
  },

  async large(...numbers) {
    const [mib, n] = numbers.map(Number);
    const one = (i) => call("Prove", { submit: winning(`large-${mib}-${i}`, mib << 20) }, 300);
    const answers = await Promise.all([...Array(n).keys()].map(one));
    say("large", answers.map((a) => a.result.proof.length).join(" "));
  },

  async urgent(...numbers) {
    const [mib, n] = numbers.map(Number);
    let before = 0;
    const held = [...Array(n).keys()].map((i) =>
      client.Prove({ submit: { requestId: `held-${i}`, proofKind: POREP_SEAL_COMMIT,
        vanillaProof: Buffer.alloc(mib << 20) } }, after(300), (error) => { before += !error; }));
    const { result } = await call("Prove", { submit: winning("urgent", 200000) });
    say("urgent", `${result.status}, ${before} of ${n} before it`);
    held.forEach((h) => h.cancel());
  },
};

await whats[what](...words);
client.close();
