# A mail spool: messages are removed, written with fsync, and read, one file a message.
set $threads=16
define fileset name=spool,path=/var/mail,size=16k,entries=1000,dirwidth=1000000,prealloc=80
define process name=mail,instances=1
{
  thread name=agent,memsize=10m,instances=$threads
  {
    flowop deletefile name=expunge,filesetname=spool
    flowop createfile name=deliver,filesetname=spool,fd=1
    flowop appendfilerand name=body,iosize=16k,fd=1
    flowop fsync name=safe,fd=1
    flowop closefile name=delivered,fd=1
    flowop openfile name=reply,filesetname=spool,fd=1
    flowop readwholefile name=read,fd=1,iosize=1m
    flowop appendfilerand name=answer,iosize=16k,fd=1
    flowop fsync name=answered,fd=1
    flowop closefile name=done,fd=1
    flowop openfile name=check,filesetname=spool,fd=1
    flowop readwholefile name=reread,fd=1,iosize=1m
    flowop closefile name=checked,fd=1
  }
}
run 1
