// README.md says what this is. Dials as Curio's client does: the target as given, no credentials, no
// metadata, 256 MiB each way.
package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"io/ioutil"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	pb "cuzkproto"

	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
)

const limit = 256 << 20

var engine pb.ProvingEngineClient

func must(err error) {
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
}

func after(seconds float64) context.Context {
	ctx, _ := context.WithTimeout(context.Background(), time.Duration(seconds*float64(time.Second)))
	return ctx
}

func say(name string, value interface{}) {
	fmt.Printf("%s: %v\n", name, value)
}

// As Python writes them.
func truth(value bool) string {
	if value {
		return "True"
	}
	return "False"
}

// As the other clients write codes: "DeadlineExceeded" is DEADLINE_EXCEEDED.
func code(err error) string {
	var text strings.Builder
	for i, r := range status.Code(err).String() {
		if i > 0 && r >= 'A' && r <= 'Z' && status.Code(err) != 0 {
			text.WriteByte('_')
		}
		text.WriteRune(r)
	}
	return strings.ToUpper(text.String())
}

func fromEnvironment(name, otherwise string) string {
	if value, there := os.LookupEnv(name); there {
		return value
	}
	return otherwise
}

var (
	id      = fromEnvironment("ID", "calls")
	circuit = fromEnvironment("CIRCUIT", "winning-32GiB")
)

func read(path string) []byte {
	bytes, err := ioutil.ReadFile(path)
	must(err)
	return bytes
}

// n bytes that mean nothing; 0: what VANILLA names.
func winning(id string, n int) *pb.SubmitProofRequest {
	vanilla := bytes.Repeat([]byte{7}, n)
	if path := os.Getenv("VANILLA"); n == 0 && path != "" {
		vanilla = read(path)
	} else if n == 0 {
		vanilla = bytes.Repeat([]byte{7}, 100)
	}
	randomness, err := hex.DecodeString(fromEnvironment("RANDOMNESS", strings.Repeat("09", 32)))
	must(err)
	return &pb.SubmitProofRequest{RequestId: id, ProofKind: pb.ProofKind_WINNING_POST, SectorSize: 2048,
		VanillaProofs: [][]byte{vanilla}, MinerId: 1000, Randomness: randomness}
}

func proveOne(id string) {
	result, err := prove(winning(id, 0), 120)
	must(err)
	say("prove", fmt.Sprintf("%d %x", result.Status, result.Proof))
}

func porep(path, id string) {
	result, err := prove(&pb.SubmitProofRequest{RequestId: id, ProofKind: pb.ProofKind_POREP_SEAL_COMMIT,
		SectorSize: 2048, VanillaProof: read(path)}, 600)
	must(err)
	say("porep", fmt.Sprintf("%d %x", result.Status, result.Proof))
}

func prove(submit *pb.SubmitProofRequest, seconds float64) (*pb.AwaitProofResponse, error) {
	answer, err := engine.Prove(after(seconds), &pb.ProveRequest{Submit: submit})
	return answer.GetResult(), err
}

func watch(id string) pb.JobInfo_State {
	stream, err := engine.WatchJob(after(120), &pb.WatchJobRequest{JobId: id})
	must(err)
	last := pb.JobInfo_State(-1)
	for {
		job, err := stream.Recv()
		if err == io.EOF {
			return last
		}
		must(err)
		last = job.State
	}
}

func calls() {
	all, err := engine.GetStatus(after(120), &pb.GetStatusRequest{})
	must(err)
	var kinds []string
	for _, q := range all.Queues {
		kinds = append(kinds, q.ProofKind)
	}
	say("GetStatus", strings.Join(kinds, " "))
	metrics, err := engine.GetMetrics(after(120), &pb.GetMetricsRequest{})
	must(err)
	say("GetMetrics", truth(strings.Contains(metrics.PrometheusText, "cuzk_")))
	job, err := engine.SubmitProof(after(120), winning(id+"-1", 0))
	must(err)
	say("SubmitProof", strings.Split(job.JobId, "~")[0])
	soon, err := engine.AwaitProof(after(120), &pb.AwaitProofRequest{JobId: job.JobId, TimeoutMs: 1})
	must(err)
	say("AwaitProof 1 ms", int(soon.Status))
	say("WatchJob", int(watch(job.JobId)))
	done, err := engine.AwaitProof(after(120), &pb.AwaitProofRequest{JobId: id + "-1"})
	must(err)
	say("AwaitProof", fmt.Sprint(int(done.Status), " ", len(done.Proof)))
	again, err := prove(winning(id+"-1", 0), 120)
	must(err)
	say("Prove", truth(again.Status == done.Status && bytes.Equal(again.Proof, done.Proof)))
	jobs, err := engine.ListJobs(after(120), &pb.ListJobsRequest{})
	must(err)
	n := 0
	for _, j := range jobs.Jobs {
		if j.RequestId == id+"-1" {
			n++
		}
	}
	say("ListJobs", n)
	trace, err := engine.GetTrace(after(120), &pb.GetTraceRequest{JobId: id + "-1"})
	must(err)
	say("GetTrace", trace.Json[:1])
	_, err = prove(winning(id+"-2", 0), 0.001)
	say("at once", code(err))
	_, err = prove(winning(id+"-2", 0), 0.05)
	say("late", code(err))
	late, err := prove(winning(id+"-2", 0), 120)
	must(err)
	say("after it", int(late.Status))
	job, err = engine.SubmitProof(after(120), winning(id+"-3", 0))
	must(err)
	_, err = engine.CancelProof(after(120), &pb.CancelProofRequest{JobId: job.JobId})
	must(err)
	cancelled, err := engine.AwaitProof(after(120), &pb.AwaitProofRequest{JobId: job.JobId})
	must(err)
	say("CancelProof", int(cancelled.Status))
	_, err = engine.CancelProof(after(120), &pb.CancelProofRequest{JobId: "none"})
	say("CancelProof of none", code(err))
	_, err = engine.PreloadSRS(after(120), &pb.PreloadSrsRequest{CircuitId: circuit})
	must(err)
	say("PreloadSRS", "answered")
	_, err = engine.EvictSRS(after(120), &pb.EvictSrsRequest{CircuitId: circuit})
	must(err)
	say("EvictSRS", "answered")
	_, err = prove(&pb.SubmitProofRequest{}, 120)
	say("no kind", code(err))
}

func large(mib, n int) {
	lengths := make([]string, n)
	var all sync.WaitGroup
	for i := range lengths {
		all.Add(1)
		go func(i int) {
			defer all.Done()
			result, err := prove(winning(fmt.Sprintf("large-%d-%d", mib, i), mib<<20), 300)
			must(err)
			lengths[i] = strconv.Itoa(len(result.Proof))
		}(i)
	}
	all.Wait()
	say("large", strings.Join(lengths, " "))
}

func urgent(mib, n int) {
	ctx, cancel := context.WithCancel(context.Background())
	before := make(chan bool, n)
	for i := 0; i < n; i++ {
		go func(i int) {
			_, err := engine.Prove(ctx, &pb.ProveRequest{Submit: &pb.SubmitProofRequest{
				RequestId: fmt.Sprintf("held-%d", i), ProofKind: pb.ProofKind_POREP_SEAL_COMMIT,
				VanillaProof: make([]byte, mib<<20)}})
			if err == nil {
				before <- true
			}
		}(i)
	}
	time.Sleep(500 * time.Millisecond) // they are on their way
	result, err := prove(winning("urgent", 200000), 120)
	must(err)
	say("urgent", fmt.Sprintf("%d, %d of %d before it", result.Status, len(before), n))
	cancel()
}

func main() {
	conn, err := grpc.Dial(os.Args[1], grpc.WithInsecure(), grpc.WithDefaultCallOptions(
		grpc.MaxCallSendMsgSize(limit), grpc.MaxCallRecvMsgSize(limit)))
	must(err)
	engine = pb.NewProvingEngineClient(conn)
	number := func(i int) int {
		value, err := strconv.Atoi(os.Args[i])
		must(err)
		return value
	}
	switch os.Args[2] {
	case "calls":
		calls()
	case "prove":
		proveOne(os.Args[3])
	case "porep":
		porep(os.Args[3], os.Args[4])
	case "large":
		large(number(3), number(4))
	case "urgent":
		urgent(number(3), number(4))
	}
}
