//! Manifests for Kubernetes: an indexed `Job`, whose pods read their number from `JOB_COMPLETION_INDEX`.

use super::{EmitError, Job, yaml};

/// The maximum number of completions for which an indexed job can count failures by index.
const MOST: u64 = 100_000;

pub(crate) fn manifests(job: &Job) -> Result<String, EmitError> {
    if job.shards > MOST {
        return Err(EmitError::TooManyShards {
            engine: "Kubernetes",
            most: MOST,
        });
    }
    // A volume is mounted at the root of the container, independent of the working folder of its command.
    let folder = job.journals.trim_start_matches("./");
    let journals = format!("/{}", folder.trim_start_matches('/'));
    let job = &Job {
        journals,
        ..job.clone()
    };
    Ok(format!(
        "# Runs {shards} shards as the pods of an indexed Job (Kubernetes 1.29 or newer):
#     kubectl apply -f THIS_FILE && kubectl wait --for=condition=complete --timeout=24h job/{name}
# The image has the program and the files of the sweep; the volume claim is shared by all pods (ReadWriteMany), and
# mounted at {journals}. A lost pod is replaced, and resumes from its journal. When all are done, in a pod
# or on a machine that has the volume:
#     {merge}
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: {name}-journals
spec:
  accessModes: [ReadWriteMany]
  resources:
    requests:
      storage: 10Gi
---
apiVersion: batch/v1
kind: Job
metadata:
  name: {name}
spec:
  completionMode: Indexed
  completions: {shards}
  parallelism: {shards}
  backoffLimitPerIndex: 3
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: shard
          image: {image}
          command: [\"sh\", \"-c\", {run}]
          resources:
            requests:
              cpu: \"1\"
              memory: 256Mi
          volumeMounts:
            - name: journals
              mountPath: {mount}
      volumes:
        - name: journals
          persistentVolumeClaim:
            claimName: {name}-journals
",
        shards = job.shards,
        name = job.name,
        journals = job.journals,
        merge = job.merge(),
        image = yaml(&job.image),
        run = yaml(&format!("exec {}", job.run(&format!("/{}", job.shards)))),
        mount = yaml(&job.journals),
    ))
}
